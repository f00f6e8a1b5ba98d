# NewReno with SACK over one duplex link in ns-2, the same work as a twin scenario. Each argument is NAME=VALUE:
#   duration (s), {forward,backward}_{bps,delay,limit,unit,flows}, stagger (s between the starts of one direction's
#   flows), payload, header and ack (B), window (packets; 0 without limit), initial_window, ack_every (1 or 2),
#   ack_timer, min_rto (s), headers (all or few: those in each packet's memory)
# A limit counts waiting packets, or bytes where its unit is B. Prints the data packets delivered in order.
foreach argument $argv {
    set cut [string first = $argument]
    set [string range $argument 0 [expr {$cut - 1}]] [string range $argument [expr {$cut + 1}] end]
}

Agent/TCP set packetSize_ $payload
Agent/TCP set windowInit_ $initial_window
Agent/TCP set window_ [expr {$window > 0 ? $window : 100000000}]
Agent/TCP set minrto_ $min_rto
Agent/TCPSink set packetSize_ $ack
Agent/TCPSink/Sack1/DelAck set interval_ $ack_timer

# As it comes, ns-2 keeps the headers of all protocols that it knows in every packet.
if {$headers eq "few"} {
    remove-all-packet-headers
    add-packet-header Flags IP TCP
}

set ns [new Simulator]
set left [$ns node]
set right [$ns node]
foreach {way from to} [list forward $left $right backward $right $left] {
    $ns simplex-link $from $to [set ${way}_bps] [set ${way}_delay] DropTail
    set queue [[$ns link $from $to] queue]
    if {[set ${way}_unit] eq "B"} {
        $queue set queue_in_bytes_ true
        $queue set mean_pktsize_ 1
    }
    # ns-2 refuses the packet that would reach the limit (in bytes: the limit times the mean size)
    $queue set limit_ [expr {[set ${way}_limit] + 1}]
}

set senders {}
foreach {way from to} [list forward $left $right backward $right $left] {
    for {set i 0} {$i < [set ${way}_flows]} {incr i} {
        set sender [new Agent/TCP/Sack1]
        set sink [new Agent/TCPSink/Sack1[expr {$ack_every > 1 ? "/DelAck" : ""}]]
        $ns attach-agent $from $sender
        $ns attach-agent $to $sink
        $ns connect $sender $sink
        set source [new Application/FTP]
        $source attach-agent $sender
        $ns at [expr {$i * $stagger}] "$source start"
        lappend senders $sender
    }
}

$ns at $duration {
    # the last acknowledgement's number, from 0 on; the sinks' counts of bytes overflow
    set packets 0
    foreach sender $senders { set packets [expr {$packets + [$sender set ack_] + 1}] }
    puts "data_packets $packets"
    puts "simulated_s [$ns now]"
    exit 0
}
$ns run
