/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ring allreduces of bench-lockstep and bench-fabric on SimGrid 3.32, for ./compare, with what
 * makes SimGrid fastest: the CM02 model without TCP window and cross-traffic, contexts in assembly
 * with small stacks, detached sends, payloads without data. A star of full-duplex ports; the
 * latency is end to end, half of it on each of a route's two links. Or the fat-tree of fat-tree.h.
 *
 * SimGrid has a flow wait for its latency first and send then, laggard send first and wait then.
 * All latencies are equal here, so one is the other, shifted. SimGrid shares by round-trip time:
 * equally, here.
 *
 * A detached sender doesn't wait for its port, but a ring's receives keep it to one flow a port,
 * so the completion is that of rendezvous, whoever is late. */
#include <sys/resource.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

#include "tests/bench/fat-tree.h"

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

void play(unsigned rank, unsigned n, double late)
{
    sg4::Mailbox *to = sg4::Mailbox::by_name(std::to_string((rank + 1) % n));
    sg4::Mailbox *from = sg4::Mailbox::by_name(std::to_string(rank));
    static char payload;

    if (late > 0)
        sg4::this_actor::sleep_for(late);
    for (unsigned round = 0; round < 2 * (n - 1); round++) {
        void *received = nullptr;
        to->put_init(&payload, chunk_bytes((rank + 2 * n - round % n) % n, n))->detach();
        from->get_init()->set_dst_data(&received, sizeof received)->wait();
    }
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
        sg4::Actor::create("r" + name, host,
                           [rank, n, late] { play(rank, n, rank == n - 1 ? late : 0); });
    }
    zone->seal();
}

/* Only the ways that a ring takes. */
void build_tree(unsigned n)
{
    auto *zone = sg4::create_full_zone("tree");
    std::vector<std::uint32_t> leaf(n);
    std::vector<sg4::Host *> hosts(n);
    std::vector<const sg4::Link *> out(n), in(n), up, down;
    const auto new_link = [zone](const std::string &name, double rate, double latency) {
        return zone->create_link(name, rate)->set_latency(latency)->seal();
    };

    tree_place(n, leaf.data());
    for (unsigned i = 0; i < (n + TREE_HOSTS - 1) / TREE_HOSTS * TREE_SPINES; i++) {
        up.push_back(new_link("up" + std::to_string(i), TREE_RATE, 0));
        down.push_back(new_link("down" + std::to_string(i), TREE_RATE, 0));
    }
    for (unsigned rank = 0; rank < n; rank++) {
        const std::string name = std::to_string(rank);
        hosts[rank] = zone->create_host("h" + name, 1e9);
        out[rank] = new_link("out" + name, tree_port_rate(rank, 0), TREE_LATENCY / 2);
        in[rank] = new_link("in" + name, tree_port_rate(rank, 1), TREE_LATENCY / 2);
    }
    for (unsigned rank = 0; rank < n; rank++) {
        const unsigned next = (rank + 1) % n, spine = tree_spine(rank, next);
        std::vector<sg4::LinkInRoute> way{sg4::LinkInRoute(out[rank])};
        if (leaf[rank] != leaf[next]) {
            way.emplace_back(up[leaf[rank] * TREE_SPINES + spine]);
            way.emplace_back(down[leaf[next] * TREE_SPINES + spine]);
        }
        way.emplace_back(in[next]);
        zone->add_route(hosts[rank]->get_netpoint(), hosts[next]->get_netpoint(), nullptr, nullptr,
                        way, false);
        const double arrival = tree_arrival(n, rank);
        sg4::Actor::create("r" + std::to_string(rank), hosts[rank],
                           [rank, n, arrival] { play(rank, n, arrival); });
    }
    zone->seal();
}

} // namespace

/* bench-simgrid RANKS [LATE | tree] */
int main(int argc, char **argv)
{
    std::vector<std::string> words{argv[0], "--log=root.threshold:warning"};
    for (const char *setting : {"network/model:CM02", "network/crosstraffic:0",
                                "network/TCP-gamma:0", "network/optim:Lazy", "contexts/factory:raw",
                                "contexts/stack-size:64", "contexts/guard-size:0"})
        words.push_back(std::string("--cfg=") + setting);
    std::vector<char *> arguments;
    for (std::string &word : words)
        arguments.push_back(word.data());
    int count = static_cast<int>(arguments.size());
    arguments.push_back(nullptr);

    const unsigned n = argc > 1 ? static_cast<unsigned>(std::strtoul(argv[1], nullptr, 10)) : 64;
    const bool is_tree = argc > 2 && std::string(argv[2]) == "tree";
    const double late = argc > 2 ? std::strtod(argv[2], nullptr) : 1e-3;
    const double start = cpu_seconds();
    sg4::Engine engine(&count, arguments.data());
    if (is_tree)
        build_tree(n);
    else
        build_star(n, late);
    engine.run();

    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    std::printf("{\"benchmark\": \"simgrid\", \"plan\": \"ring\", \"ranks\": %u, \"messages\": %u, "
                "\"seconds\": %.6f, \"completion_s\": %.17g, \"max_rss_mb\": %.1f}\n",
                n, 2 * n * (n - 1), cpu_seconds() - start, sg4::Engine::get_clock(),
                1024e-6 * static_cast<double>(usage.ru_maxrss));
    return EXIT_SUCCESS;
}
