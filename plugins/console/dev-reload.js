/** What `npm run console:dev` adds to the console's page: it loads the page again, or exchanges its styles. */

/** Styles alone are exchanged in place: what is typed into a form stays. */
const isOnlyStyle = (updated) => updated.length === 1 && updated[0].endsWith('.css')

function exchangeStyles() {
  for (const link of document.querySelectorAll('link[rel=stylesheet]')) {
    const next = link.cloneNode()
    next.href = `${link.href.split('?')[0]}?${Date.now()}`
    next.onload = () => link.remove()
    link.after(next)
  }
}

/**
 * @param path of the events
 * @param script the address of the page's script, which ends with the build that the page has
 */
export function listen(path, script) {
  new EventSource(`${path}${new URL(script).search}`).addEventListener('change', ({ data }) => {
    if (isOnlyStyle(JSON.parse(data))) exchangeStyles()
    else location.reload()
  })
}
