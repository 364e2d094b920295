/** The script that `npm run console:dev` adds to the console's page. It reloads the page or replaces its styles. */

/** Whether only styles changed. They are replaced in place, which keeps the text in forms. */
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
 * @param path path of the events
 * @param script address of the page's script, which ends with the build that the page has
 */
export function listen(path, script) {
  new EventSource(`${path}${new URL(script).search}`).addEventListener('change', ({ data }) => {
    if (isOnlyStyle(JSON.parse(data))) exchangeStyles()
    else location.reload()
  })
}
