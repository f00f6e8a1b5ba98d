# Random loss and limited buffers of family.json: ns path.tcl ALGORITHM SEED LOSS LIMIT END BEGIN [RENO]
# Prints packet/s acknowledged in [BEGIN, END] s; with RENO (any word) beside a Reno flow that starts at 0.1 s.
foreach {name value} [list algorithm [lindex $argv 0] seed [lindex $argv 1] loss [lindex $argv 2] limit [lindex $argv 3] \
    end [lindex $argv 4] begin [lindex $argv 5] beside [lindex $argv 6]] { set $name $value }

set ns [new Simulator]
set from [$ns node]
set to [$ns node]
$ns simplex-link $from $to 100Mb 40ms DropTail
$ns simplex-link $to $from 100Mb 40ms DropTail
$ns queue-limit $from $to $limit
$ns queue-limit $to $from 100000

if {$loss > 0} {
    set generator [new RNG]
    $generator seed $seed
    set uniform [new RandomVariable/Uniform]
    $uniform use-rng $generator
    # the first numbers of neighbouring seeds are alike, and all small: the first packet would always be lost
    for {set i 0} {$i < 100} {incr i} { $uniform value }
    set errors [new ErrorModel]
    $errors unit pkt
    $errors set rate_ $loss
    $errors ranvar $uniform
    $errors drop-target [new Agent/Null]
    $ns lossmodel $errors $from $to
}

proc sender {algorithm start} {
    global ns from to
    set tcp [new Agent/TCP/Linux]
    $tcp set timestamps_ true
    $tcp set packetSize_ 1000
    $tcp set window_ 100000
    $ns attach-agent $from $tcp
    set sink [new Agent/TCPSink/Sack1]
    $sink set ts_echo_rfc1323_ true
    $ns attach-agent $to $sink
    $ns connect $tcp $sink
    $ns at 0 "$tcp select_ca $algorithm"
    set ftp [new Application/FTP]
    $ftp attach-agent $tcp
    $ns at $start "$ftp start"
    return $tcp
}

set flows [sender $algorithm 0]
if {$beside ne ""} { lappend flows [sender reno 0.1] }

proc remember {} {
    global flows first
    foreach tcp $flows { set first($tcp) [$tcp set ack_] }
}

proc report {} {
    global flows first begin end
    foreach tcp $flows {
        set rate [expr ([$tcp set ack_] - $first($tcp)) / ($end - $begin + 0.0)]
        puts "packet/s [format %.1f $rate] retransmissions [$tcp set nrexmitpack_] timeouts [$tcp set nrexmit_]"
    }
    exit 0
}

$ns at $begin remember
$ns at $end report
$ns run
