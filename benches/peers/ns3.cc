// NewReno with SACK over one duplex link in ns-3, the same work as a twin scenario. Each argument is NAME=VALUE, as for
// ns2.tcl, and besides:
//   buffer (B)   send buffer of each flow; its receive window too where `window` is 0
//   cap_s (s)    stop after so much CPU time; 0: never
// Prints the data packets delivered in order, and how far the simulation got.
#include <cstdint>
#include <ctime>
#include <iostream>
#include <map>
#include <string>

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"

using namespace ns3;

namespace {

std::map<std::string, std::string> values;

double Number(const std::string& name) { return std::stod(values.at(name)); }

uint64_t Integer(const std::string& name) { return static_cast<uint64_t>(Number(name)); }

void ConfigureTcp() {
    const uint64_t window = Integer("window") * Integer("payload");
    const uint64_t buffer = Integer("buffer");
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(TcpNewReno::GetTypeId()));
    Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(true));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(Seconds(Number("min_rto"))));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(Integer("payload")));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(Integer("initial_window")));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(Integer("ack_every")));
    Config::SetDefault("ns3::TcpSocket::DelAckTimeout", TimeValue(Seconds(Number("ack_timer"))));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(buffer));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(window > 0 ? window : buffer));
}

void ConfigureDevice(Ptr<NetDevice> device, const std::string& way) {
    auto link = DynamicCast<PointToPointNetDevice>(device);
    link->SetDataRate(DataRate(Integer(way + "_bps")));
    const auto unit = values.at(way + "_unit") == "B" ? QueueSizeUnit::BYTES : QueueSizeUnit::PACKETS;
    link->GetQueue()->SetMaxSize(QueueSize(unit, Integer(way + "_limit")));
}

ApplicationContainer AddFlows(const std::string& way, Ptr<Node> from, Ptr<Node> to, Ipv4Address address) {
    ApplicationContainer sinks;
    for (uint64_t i = 0; i < Integer(way + "_flows"); ++i) {
        const InetSocketAddress where(address, 5000 + i);
        BulkSendHelper source("ns3::TcpSocketFactory", where);
        source.SetAttribute("SendSize", UintegerValue(Integer("payload")));
        source.Install(from).Start(Seconds(static_cast<double>(i) * Number("stagger")));
        sinks.Add(PacketSinkHelper("ns3::TcpSocketFactory", where).Install(to));
    }
    return sinks;
}

void StopAtCap() {
    if (static_cast<double>(std::clock()) > Number("cap_s") * CLOCKS_PER_SEC) {
        Simulator::Stop();
    }
    Simulator::Schedule(MilliSeconds(1), &StopAtCap);
}

}  // namespace

int main(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
        const std::string argument(argv[i]);
        const auto cut = argument.find('=');
        values[argument.substr(0, cut)] = argument.substr(cut + 1);
    }
    ConfigureTcp();

    NodeContainer nodes(2);
    PointToPointHelper helper;
    helper.SetChannelAttribute("Delay", TimeValue(Seconds(Number("forward_delay"))));
    helper.DisableFlowControl();  // or each device gets a queue disc above its queue
    const NetDeviceContainer devices = helper.Install(nodes);
    ConfigureDevice(devices.Get(0), "forward");
    ConfigureDevice(devices.Get(1), "backward");
    InternetStackHelper().Install(nodes);
    const auto addresses = Ipv4AddressHelper("10.0.0.0", "255.255.255.0").Assign(devices);

    auto sinks = AddFlows("forward", nodes.Get(0), nodes.Get(1), addresses.GetAddress(1));
    sinks.Add(AddFlows("backward", nodes.Get(1), nodes.Get(0), addresses.GetAddress(0)));

    if (Number("cap_s") > 0) {
        StopAtCap();
    }
    Simulator::Stop(Seconds(Number("duration")));
    Simulator::Run();
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < sinks.GetN(); ++i) {
        bytes += DynamicCast<PacketSink>(sinks.Get(i))->GetTotalRx();
    }
    std::cout << "data_packets " << bytes / Integer("payload") << "\n"
              << "simulated_s " << Simulator::Now().GetSeconds() << "\n";
    Simulator::Destroy();
    return 0;
}
