// Which source a request to the API server is for, by its path: of lists and watches, of looks at one object,
// of a run's looks, too. Threads: a pure function; counting happens on the client's thread.
#pragma once

#include "backends/http_client.hpp"
#include "backends/meter.hpp"

namespace tessera::kubernetes {

// none: it changes something, or asks for rights.
Source source_asked(const HttpCall& call);

// From now on each request of the client counts, and so do the bytes of its answer. The meter outlives it.
void count_into(Meter& meter, HttpClient& client);

}  // namespace tessera::kubernetes
