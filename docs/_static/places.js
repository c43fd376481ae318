/* The search for the end of an error message, [errors#scalar], goes to the place that it names. */
{
  const asked = new URLSearchParams(window.location.search).get("q") ?? "";
  const place = asked.match(/\[?errors#(\w+)\]?\s*$/);
  if (place && /search\.html$/.test(window.location.pathname)) {
    window.location.replace(`errors.html#${place[1]}`);
  }
}
