// The JDK's own HTTP and websocket clients against a devnet: no library, as programs and frameworks of the JVM use them
// when they are told nothing. Arguments: URLs of JSON-RPC, of its websocket, and of the consensus RPC. Prints how many
// checks held.
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

public class Client {
  static final int WAIT_SECONDS = 30;
  static int checks = 0;

  static void must(boolean ok, String what) {
    if (!ok) {
      System.err.println("not so: " + what);
      System.exit(1);
    }
    checks++;
  }

  static String call(int id, String method, String params) {
    return "{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"method\":\"" + method + "\",\"params\":" + params + "}";
  }

  static HttpRequest.Builder to(String url) {
    return HttpRequest.newBuilder(URI.create(url)).header("Content-Type", "application/json");
  }

  static HttpRequest post(String url, String body) {
    return to(url).POST(HttpRequest.BodyPublishers.ofString(body)).build();
  }

  /** The client offers HTTP/2 with the first request of a connection unless it is told not to. */
  static void requests(HttpClient client, String http, String comet) throws Exception {
    for (int i = 0; i < 3; i++) {
      var answer = client.send(post(http, call(i, "eth_chainId", "[]")), HttpResponse.BodyHandlers.ofString());
      must(answer.statusCode() == 200 && answer.body().contains("\"id\":" + i), "eth_chainId " + answer);
      answer = client.send(post(comet, call(i, "health", "{}")), HttpResponse.BodyHandlers.ofString());
      must(answer.statusCode() == 200 && answer.body().contains("\"result\":{}"), "health " + answer);
    }
    var status = client.send(to(comet + "/status").build(), HttpResponse.BodyHandlers.ofString());
    must(status.statusCode() == 200 && status.body().contains("latest_block_height"), "status " + status);
    var pieces = HttpRequest.BodyPublishers.fromPublisher(
        HttpRequest.BodyPublishers.ofString(call(9, "eth_blockNumber", "[]")));
    var chunked = client.send(to(http).POST(pieces).build(), HttpResponse.BodyHandlers.ofString());
    must(chunked.statusCode() == 200 && chunked.body().contains("\"result\":\"0x"), "chunked " + chunked);
    var expecting = to(http).expectContinue(true);
    var body = HttpRequest.BodyPublishers.ofString(call(9, "eth_blockNumber", "[]"));
    var expected = client.send(expecting.POST(body).build(), HttpResponse.BodyHandlers.ofString());
    must(expected.statusCode() == 200, "expect-continue " + expected);
    var many = IntStream.range(0, 50)
        .mapToObj(i -> client.sendAsync(post(http, call(i, "eth_gasPrice", "[]")), HttpResponse.BodyHandlers.ofString()))
        .toList();
    CompletableFuture.allOf(many.toArray(new CompletableFuture<?>[0])).get(WAIT_SECONDS, TimeUnit.SECONDS);
    for (var one : many) must(one.get().statusCode() == 200, "at once " + one.get());
  }

  static WebSocket open(HttpClient client, String url, BlockingQueue<String> heard) throws Exception {
    var text = new StringBuilder();
    var listener = new WebSocket.Listener() {
      @Override
      public CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
        text.append(data);
        if (last) {
          heard.add(text.toString());
          text.setLength(0);
        }
        socket.request(1);
        return null;
      }
    };
    return client.newWebSocketBuilder().buildAsync(URI.create(url), listener).get(WAIT_SECONDS, TimeUnit.SECONDS);
  }

  static void hear(BlockingQueue<String> heard, String what) throws Exception {
    var text = heard.poll(WAIT_SECONDS, TimeUnit.SECONDS);
    must(text != null && text.contains(what), "waited for " + what + ", got " + text);
  }

  static void subscriptions(HttpClient client, String ws, String comet) throws Exception {
    var heads = new LinkedBlockingQueue<String>();
    var socket = open(client, ws, heads);
    var subscribe = call(1, "eth_subscribe", "[\"newHeads\"]");
    socket.sendText(subscribe.substring(0, 10), false).get();
    socket.sendText(subscribe.substring(10), true).get();
    hear(heads, "\"result\":\"0x");
    for (int i = 0; i < 3; i++) hear(heads, "\"parentHash\"");
    socket.sendClose(WebSocket.NORMAL_CLOSURE, "").get();
    var blocks = new LinkedBlockingQueue<String>();
    socket = open(client, comet.replace("http", "ws") + "/websocket", blocks);
    socket.sendText(call(1, "subscribe", "{\"query\":\"tm.event='NewBlock'\"}"), true).get();
    hear(blocks, "\"result\":{}");
    for (int i = 0; i < 3; i++) hear(blocks, "tendermint/event/NewBlock");
    socket.sendClose(WebSocket.NORMAL_CLOSURE, "").get();
  }

  public static void main(String[] args) throws Exception {
    var client = HttpClient.newHttpClient();
    requests(client, args[0], args[2]);
    subscriptions(client, args[1], args[2]);
    System.out.println(checks);
    System.exit(0);
  }
}
