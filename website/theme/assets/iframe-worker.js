// The theme finds sections with any word of a question, such as "node" for "no color". This worker asks for those with
// all words that say something, and for any of the words only if there are none.
const QUERY = 2;
const RESULT = 3;
// The index leaves these out, too, but for "each".
const SAYS_NOTHING = new Set(
  (
    "a after all also an and any are as at be been but by can cannot could did do does each else every for from get has have how i if in into is it its just may me most must my no not of off on only or other our own " +
    "should since so some than that the their them then there these they this to too us was we were what when where which while who why will with would you your"
  ).split(" "),
);

function wordsOf(question) {
  const words = question.toLowerCase().split(/[\s\-]+/).map((word) => word.replace(/^[(.,;!?]+|[).,;!?]+$/g, "")).filter(Boolean);
  const said = words.filter((word) => !SAYS_NOTHING.has(word));
  // Words are found by their beginnings, so the singular finds the plural, and "run" finds "running", too.
  return (said.length ? said : words).map((word) => word.replace(/(?<=[^s]{3})s$/, "").replace(/(?<=^.{2,})(?:([^ls])\1|(.))ing$/, "$1$2"));
}

// Browsers start no worker from a file. If the site is read as files, the worker of the search runs in a
// frame instead, which the theme knows by the name IFrameWorker.
class FrameWorker extends EventTarget {
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
}

const InnerWorker = location.protocol === "file:" ? FrameWorker : window.Worker;

class SearchWorker extends EventTarget {
  constructor(url) {
    super();
    this.asked = []; // for each answer to come, the question to ask if it is empty, or null
    this.inner = new InnerWorker(url);
    this.inner.addEventListener("message", ({ data }) => this.answer(data));
  }

  postMessage(message) {
    // Quotation marks, signs and fields are the theme's own language.
    if (message.type !== QUERY || /["+:^~*]/.test(message.data)) {
      this.ask(message, null);
    } else {
      const words = wordsOf(message.data);
      this.ask({ ...message, data: words.map((word) => `+${word}*`).join(" ") }, { ...message, data: words.join(" ") });
    }
  }

  ask(message, otherwise) {
    if (message.type === QUERY) this.asked.push(otherwise);
    this.inner.postMessage(message);
  }

  answer(message) {
    const otherwise = message.type === RESULT ? this.asked.shift() : null;
    if (otherwise && message.data.items.length === 0) this.ask(otherwise, null);
    else this.dispatchEvent(new MessageEvent("message", { data: message }));
  }
}

window.Worker = SearchWorker;
if (location.protocol === "file:") window.IFrameWorker = SearchWorker;
