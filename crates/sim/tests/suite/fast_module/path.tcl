# FAST of ns-2 on one duplex bottleneck: ns path.tcl KEY VALUE ...
# Agent/TCP/Fast is the module 1.1.3 (tcp-fast.cc and tcp-fast.h of its authors), compiled against the headers of ns-2.35 as a shared
# library with an entry `Fast_Init` that binds its class; FAST_LIBRARY names it. Debian's `ns` exports what the library needs.
# flows: DIRECTION:ALPHA:START, directions F and B. Limits are ns-2's: one more than can wait. rtt in s, of which access_frac is the
# delay of each access link. Prints packets acknowledged per second from wstart to tend.
load $env(FAST_LIBRARY) Fast
array set p {
    flows "F:200:0" gamma 0.5 threshold 0.00075 sink Agent/TCPSink/Sack1 ack_timer 0.2
    forward 1e9 backward 1e9 limit 10001 back_limit 1000000 rtt 0.180 access 10e9 access_frac 0.05
    loss 0 seed 1 card 0 card_limit 101 payload 1460 wstart 0 tend 300
}
array set p $argv

foreach {name value} [list fast_update_cwnd_interval_ 0.01 avg_cwnd_last_RTT_ 0 avgRTT_ 0 baseRTT_ 0 high_accuracy_cwnd_ 2 \
    partial_ack_ false gamma_ $p(gamma) mi_threshold_ $p(threshold) alpha_ 100 beta_ 100] {
    Agent/TCP/Fast set $name $value
}
Agent/TCP set window_ 100000
Agent/TCP set packetSize_ $p(payload)
Agent/TCP set useHeaders_ true
Agent/TCP set tcpip_base_hdr_size_ 40
Agent/TCP set overhead_ 0
Agent/TCP set maxburst_ 0
Agent/TCPSink/Sack1/DelAck set interval_ $p(ack_timer)

set ns [new Simulator]
set left [$ns node]
set right [$ns node]
set near [expr {$p(rtt) * $p(access_frac)}]
set far [expr {$p(rtt) / 2 - 2 * $near}]
$ns simplex-link $left $right $p(forward) $far DropTail
$ns simplex-link $right $left $p(backward) $far DropTail
$ns queue-limit $left $right $p(limit)
$ns queue-limit $right $left $p(back_limit)
set drops [$ns monitor-queue $left $right [open /dev/null w] 1.0]

if {$p(loss) > 0} {
    set random [new RNG]
    $random seed $p(seed)
    set uniform [new RandomVariable/Uniform]
    $uniform use-rng $random
    set errors [new ErrorModel]
    $errors unit pkt
    $errors set rate_ $p(loss)
    $errors ranvar $uniform
    $errors drop-target [new Agent/Null]
    $ns lossmodel $errors $left $right
}

set count 0
foreach flow $p(flows) {
    lassign [split $flow :] direction alpha start
    lassign [expr {$direction eq "F" ? [list $left $right] : [list $right $left]}] here there
    set from [$ns node]
    set to [$ns node]
    # with a card, the sender's own link is the bottleneck and its queue the short one
    $ns simplex-link $from $here [expr {$p(card) ? $p(card) : $p(access)}] $near DropTail
    $ns simplex-link $here $from $p(access) $near DropTail
    $ns duplex-link $there $to $p(access) $near DropTail
    foreach {a b} [list $from $here $here $from $there $to $to $there] { $ns queue-limit $a $b 1000000 }
    if {$p(card)} { $ns queue-limit $from $here $p(card_limit) }
    set tcp [new Agent/TCP/Fast]
    set sink [new $p(sink)]
    $ns attach-agent $from $tcp
    $ns attach-agent $to $sink
    $ns connect $tcp $sink
    $tcp set alpha_ $alpha
    $tcp set beta_ $alpha
    set source [new Application/FTP]
    $source attach-agent $tcp
    $ns at $start "$source start"
    set flow_of($count) $tcp
    incr count
}

proc acknowledged {} {
    global flow_of count
    set list {}
    for {set i 0} {$i < $count} {incr i} { lappend list [$flow_of($i) set ack_] }
    return $list
}

proc begin {} { set ::before [acknowledged] }

proc finish {} {
    global p before drops flow_of
    set i 0
    foreach now [acknowledged] then $before {
        set rate [expr {($now - $then) / ($p(tend) - double($p(wstart)))}]
        puts "flow $i [format %.2f $rate] packet/s, [$flow_of($i) set nrexmitpack_] retransmitted, base [$flow_of($i) set baseRTT_] s"
        incr i
    }
    puts "drops [$drops set pdrops_]"
    exit 0
}
$ns at $p(wstart) begin
$ns at $p(tend) finish
$ns run
