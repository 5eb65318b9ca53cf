// Browsers start no worker from a file. If the site is read as files, the worker of the search runs in a
// frame instead, which the theme knows by the name IFrameWorker. On a server this does nothing.
if (location.protocol === "file:") {
  window.Worker = window.IFrameWorker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      this.inner = frame.contentWindow;
      // The script calls this to answer.
      this.inner.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      const script = this.inner.document.createElement("script");
      script.src = url;
      this.loaded = new Promise((done) => script.addEventListener("load", done));
      this.inner.document.body.append(script);
    }

    postMessage(data) {
      this.loaded.then(() => this.inner.dispatchEvent(new MessageEvent("message", { data })));
    }
  };
}
