// What the connections of the viewer's server share. Used on the server's thread alone, except for
// open_count.
#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <map>

#include "view/asset_store.h"
#include "view/request_check.h"
#include "view/server.h"

namespace scree {

class Client;
class HttpSession;

struct Hub {
  ServerOptions options;
  RequestRule rule;
  AssetStore assets;
  ServerEvents& events;

  // Connections own themselves, through the operations they wait for, and enter and strike
  // themselves here. A client that is closing still has a socket and so still counts.
  std::map<ClientId, Client*> clients = {};
  std::list<HttpSession*> sessions = {};  // oldest first
  ClientId next_client = 1;
  bool is_stopping = false;

  std::atomic<int> open_count = 0;  // clients between on_open and on_close
};

}  // namespace scree
