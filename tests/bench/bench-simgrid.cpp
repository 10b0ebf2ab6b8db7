/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ring allreduces of bench-lockstep and bench-fabric on SimGrid 3.32, for ./compare, with what
 * makes SimGrid fastest: the CM02 model without TCP window and cross-traffic, contexts in assembly
 * with small stacks, detached sends, payloads without data. A star of full-duplex ports, whose
 * latency is end to end, half of it on each of a route's two links; or the case that bench-fabric
 * prints.
 *
 * A detached sender doesn't wait for its port. On equal ports of a switch a ring's receives keep it
 * to one flow a port, and the completion is that of rendezvous, whoever is late. On the case, with
 * "wait", each rank waits for both its transfers, as laggard has it: without latency the same (with
 * it, SimGrid's sender waits until the data are there). SimGrid shares by round-trip time: equally,
 * here. Its default precisions are 1 ns and 1e-5 of a rate; here they are finer. */
#include <sys/resource.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <simgrid/s4u.hpp>
#include <string>
#include <tuple>
#include <vector>

namespace sg4 = simgrid::s4u;

namespace
{

constexpr double RATE = 100e9;
constexpr double LATENCY = 5e-6;
constexpr std::uint64_t SIZE = std::uint64_t{1} << 30;

double cpu_seconds()
{
    timespec now{};

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/* Chunks that differ by an element at most, like those of sim/plan.h. */
std::uint64_t chunk_bytes(unsigned chunk, unsigned n)
{
    const std::uint64_t elements = SIZE / 4;

    return 4 * (elements / n + (chunk < elements % n ? 1 : 0));
}

void send_and_receive(sg4::Mailbox *to, sg4::Mailbox *from, std::uint64_t bytes, bool waits)
{
    static char payload;
    void *received = nullptr;
    sg4::CommPtr put = to->put_init(&payload, bytes);

    if (waits)
        put->start();
    else
        put->detach();
    from->get_init()->set_dst_data(&received, sizeof received)->wait();
    if (waits)
        put->wait();
}

void play(unsigned rank, unsigned n, double late)
{
    sg4::Mailbox *to = sg4::Mailbox::by_name(std::to_string((rank + 1) % n));
    sg4::Mailbox *from = sg4::Mailbox::by_name(std::to_string(rank));

    if (late > 0 && rank == n - 1)
        sg4::this_actor::sleep_for(late);
    for (unsigned round = 0; round < 2 * (n - 1); round++)
        send_and_receive(to, from, chunk_bytes((rank + 2 * n - round % n) % n, n), false);
}

void build_star(unsigned n, double late)
{
    auto *zone = sg4::create_star_zone("star");

    for (unsigned rank = 0; rank < n; rank++) {
        const std::string name = std::to_string(rank);
        sg4::Host *host = zone->create_host("h" + name, 1e9);
        const sg4::Link *up =
            zone->create_link("up" + name, RATE)->set_latency(LATENCY / 2)->seal();
        const sg4::Link *down =
            zone->create_link("down" + name, RATE)->set_latency(LATENCY / 2)->seal();
        zone->add_route(host->get_netpoint(), nullptr, nullptr, nullptr, {sg4::LinkInRoute(up)},
                        false);
        zone->add_route(nullptr, host->get_netpoint(), nullptr, nullptr, {sg4::LinkInRoute(down)},
                        false);
        sg4::Actor::create("r" + name, host, [rank, n, late] { play(rank, n, late); });
    }
    zone->seal();
}

/* Reads what bench-fabric --case printed; returns ranks and messages. */
std::pair<unsigned, unsigned> build_case(bool waits)
{
    auto *zone = sg4::create_full_zone("case");
    unsigned n, rounds, n_links;
    std::uint64_t bytes;

    std::cin >> n >> rounds >> bytes >> n_links;
    std::vector<const sg4::Link *> links;
    for (unsigned i = 0; i < n_links; i++) {
        double rate, latency;
        std::cin >> rate >> latency;
        links.push_back(
            zone->create_link("l" + std::to_string(i), rate)->set_latency(latency)->seal());
    }
    std::vector<sg4::Host *> hosts;
    for (unsigned rank = 0; rank < n; rank++)
        hosts.push_back(zone->create_host("h" + std::to_string(rank), 1e9));
    for (unsigned rank = 0; rank < n; rank++) {
        const unsigned next = (rank + 1) % n;
        std::vector<sg4::LinkInRoute> way;
        double arrival;
        unsigned length;
        std::cin >> arrival >> length;
        for (unsigned link; length > 0 && std::cin >> link; length--)
            way.emplace_back(links.at(link));
        zone->add_route(hosts[rank]->get_netpoint(), hosts[next]->get_netpoint(), nullptr, nullptr,
                        way, false);
        sg4::Mailbox *to = sg4::Mailbox::by_name(std::to_string(next));
        sg4::Mailbox *from = sg4::Mailbox::by_name(std::to_string(rank));
        sg4::Actor::create("r" + std::to_string(rank), hosts[rank], [=] {
            sg4::this_actor::sleep_for(arrival);
            for (unsigned round = 0; round < rounds; round++)
                send_and_receive(to, from, bytes, waits);
        });
    }
    zone->seal();
    return {n, rounds * n};
}

} // namespace

/* bench-simgrid RANKS [LATE], or bench-simgrid [wait] < CASE */
int main(int argc, char **argv)
{
    std::vector<std::string> words{argv[0], "--log=root.threshold:warning"};
    for (const char *setting :
         {"network/model:CM02", "network/crosstraffic:0", "network/TCP-gamma:0",
          "network/optim:Lazy", "contexts/factory:raw", "contexts/stack-size:64",
          "contexts/guard-size:0", "surf/precision:1e-13", "maxmin/precision:1e-12"})
        words.push_back(std::string("--cfg=") + setting);
    std::vector<char *> arguments;
    for (std::string &word : words)
        arguments.push_back(word.data());
    int count = static_cast<int>(arguments.size());
    arguments.push_back(nullptr);

    const bool waits = argc > 1 && std::string(argv[1]) == "wait";
    unsigned n = argc > 1 ? static_cast<unsigned>(std::strtoul(argv[1], nullptr, 10)) : 0;
    unsigned messages = 2 * n * (n - 1);
    const double late = argc > 2 ? std::strtod(argv[2], nullptr) : 1e-3;
    const double start = cpu_seconds();
    sg4::Engine engine(&count, arguments.data());
    if (n == 0)
        std::tie(n, messages) = build_case(waits);
    else
        build_star(n, late);
    engine.run();

    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    std::printf("{\"benchmark\": \"simgrid\", \"plan\": \"ring\", \"ranks\": %u, \"messages\": %u, "
                "\"seconds\": %.6f, \"completion_s\": %.17g, \"max_rss_mb\": %.1f}\n",
                n, messages, cpu_seconds() - start, sg4::Engine::get_clock(),
                1024e-6 * static_cast<double>(usage.ru_maxrss));
    return EXIT_SUCCESS;
}
