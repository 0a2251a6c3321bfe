// SPDX-License-Identifier: MIT
// The connection to `fathom serve`.
import type { FromServer, ToServer } from "./messages";

const AGAIN_MS = 2000;

export interface Listener {
  message: (message: FromServer) => void;
  state: (text: string) => void; // one line on the connection; "" if it stands
}

export class Link {
  private socket: WebSocket | undefined;
  private readonly token: string;
  private readonly listener: Listener;
  private reached = false; // the server has answered this socket
  private welcome = false;

  constructor(token: string, listener: Listener) {
    this.token = token;
    this.listener = listener;
  }

  open(): void {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}/live`);
    this.socket = socket;
    this.reached = this.welcome = false;
    socket.addEventListener("open", () => {
      this.reached = true;
      this.send({ type: "hello", token: this.token });
    });
    socket.addEventListener("message", ({ data }) => this.receive(String(data)));
    socket.addEventListener("close", () => this.closed());
  }

  send(message: ToServer): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  private receive(data: string): void {
    const message = JSON.parse(data) as FromServer;
    if (message.type === "welcome") {
      this.welcome = true;
      this.listener.state("");
    }
    this.listener.message(message);
  }

  // A server that answers without a welcome refused the token: the page does not connect again.
  private closed(): void {
    if (this.reached && !this.welcome) {
      this.listener.state("fathom serve did not accept this page. Open the address that it printed when it started.");
      return;
    }
    this.listener.state("There is no connection to fathom serve. Trying again…");
    setTimeout(() => this.open(), AGAIN_MS);
  }
}
