# The asymmetric runs of family.json: ns asymmetric.tcl ALGORITHM BUFFER START BEGIN
# A download and an upload over 2 Mbit/s and 192 kbit/s; the upload's buffer in bytes, when it starts, since when goodput counts.
foreach {name value} [list algorithm [lindex $argv 0] buffer [lindex $argv 1] start [lindex $argv 2] begin [lindex $argv 3]] {
    set $name $value
}
set end 600

set ns [new Simulator]
set left [$ns node]
set right [$ns node]
$ns simplex-link $left $right 2Mb 20ms DropTail
$ns simplex-link $right $left 192kb 20ms DropTail
foreach {a b bytes} [list $left $right 75000 $right $left $buffer] {
    set queue [[$ns link $a $b] queue]
    $queue set queue_in_bytes_ true
    $queue set mean_pktsize_ 100
    $ns queue-limit $a $b [expr $bytes / 100]
}

proc host {router delay} {
    global ns
    set node [$ns node]
    $ns duplex-link $node $router 100Mb $delay DropTail
    $ns queue-limit $node $router 100000
    $ns queue-limit $router $node 100000
    return $node
}

proc sender {from to algorithm start} {
    global ns
    set tcp [new Agent/TCP/Linux]
    $tcp set timestamps_ true
    $tcp set packetSize_ 1460
    $tcp set window_ 100000
    $ns attach-agent $from $tcp
    set sink [new Agent/TCPSink/Sack1/DelAck]
    $sink set ts_echo_rfc1323_ true
    $ns attach-agent $to $sink
    $ns connect $tcp $sink
    $ns at 0 "$tcp select_ca $algorithm"
    set ftp [new Application/FTP]
    $ftp attach-agent $tcp
    $ns at $start "$ftp start"
    return $tcp
}

set near [host $left 1ms]
set near_end [host $right 0.1ms]
set far_end [host $left 5ms]
set far [host $right 0.1ms]
set flows [list [sender $near $near_end $algorithm 0] [sender $far $far_end $algorithm $start]]

proc remember {} {
    global flows first
    foreach tcp $flows { set first($tcp) [$tcp set ack_] }
}

proc report {} {
    global flows first begin end
    foreach tcp $flows way {download upload} {
        set rate [expr ([$tcp set ack_] - $first($tcp)) * 11.68 / ($end - $begin)]
        puts "$way kbit/s [format %.1f $rate] retransmissions [$tcp set nrexmitpack_] timeouts [$tcp set nrexmit_]"
    }
    exit 0
}

$ns at $begin remember
$ns at $end report
$ns run
