// The list of places at the side: channels, the threads under them, and the person's direct messages.
const list = document.getElementById("places");
const toggle = document.getElementById("messages-toggle");
const KEY = "place";
const SIGNS = { channel: "#", thread: "└", direct: "@" };
let places = [];
let choose = () => {};

function go(id) {
  if (!places.some((one) => one.id === id && !one.here)) return;
  document.querySelector(".messages-open .drawer-scrim")?.click();
  choose(id);
}

function row(place) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = `place place-${place.kind}`;
  button.dataset.id = place.id;
  button.classList.toggle("place-unread", place.unread);
  button.classList.toggle("place-foreign", !place.joined);
  if (place.here) button.setAttribute("aria-current", "page");
  if (!place.joined) button.title = "You are not in this thread";
  const name = Object.assign(document.createElement("span"), { className: "place-name", textContent: place.name });
  button.append(SIGNS[place.kind], name);
  if (place.calls) {
    button.append(Object.assign(document.createElement("span"), { className: "place-calls", textContent: place.calls }));
  }
  button.addEventListener("click", () => go(place.id));
  const item = document.createElement("li");
  item.append(button);
  return item;
}

/** Show a state's places. `act(viewer, place)` goes to one, as one of the people. */
export function showPlaces(snapshot, act) {
  places = snapshot.places ?? [];
  choose = (id) => act(snapshot.viewerId, id);
  list.replaceChildren(...places.map(row));
  const calls = places.reduce((sum, one) => sum + one.calls, 0);
  toggle.textContent = calls ? `☰ ${calls}` : "☰";
  toggle.classList.toggle("place-unread", places.some((one) => one.unread));
  const here = JSON.stringify([snapshot.viewerId, places.find((one) => one.here)?.id]);
  const before = sessionStorage.getItem(KEY);
  sessionStorage.setItem(KEY, here);
  // A tab that is loaded again goes back to where it was.
  if (snapshot.context.generation === 1 && before && before !== here) {
    setTimeout(() => act(...JSON.parse(before)));
  }
}

/** Say that the playground can't be reached, or no more. */
export function showReached(reached) {
  document.getElementById("unreached").hidden = reached;
}

// Links to messages of this world, mentions of its channels and summaries of threads lead there.
document.addEventListener("click", (event) => {
  const link = event.target.closest?.('a[href*="//discord.com/channels/"]');
  const mention = event.target.closest?.(".mention")?.textContent;
  const thread = event.target.closest?.(".thread-summary")?.closest(".channel-message");
  const id = link ? link.href.split("/")[5] : thread?.dataset.messageId
    ?? places.findLast((one) => mention === `#${one.name}`)?.id;
  if (!places.some((one) => one.id === id)) return;
  event.preventDefault();
  go(id);
});
