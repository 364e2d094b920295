/** A static page of the API reference: every operation with its scope and description, by group. */
const escapeHtml = (text) => String(text).replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`)

export function renderReference(document) {
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, operation]) => operation['x-alias-of'] === undefined)
      .map(([method, operation]) => ({ method: method.toUpperCase(), path, ...operation })),
  )
  const groups = document.tags.map(({ name, description }) => {
    const own = operations.filter(({ tags }) => tags[0] === name)
    const anchor = name.toLowerCase().replaceAll(' ', '-')
    const items = own.map(({ method, path, summary, description: more = '', 'x-scope': scope }) => {
      const needed = scope === null ? '' : ` <small>${escapeHtml([scope].flat().join(' or '))}</small>`
      return `<dt><code>${method} ${escapeHtml(path)}</code>${needed}</dt><dd><p>${escapeHtml(summary)}.</p><p>${escapeHtml(more)}</p></dd>`
    })
    return {
      name,
      anchor,
      own,
      html: `<h2 id="${anchor}">${escapeHtml(name)}</h2><p>${escapeHtml(description)}</p><dl>${items.join('')}</dl>`,
    }
  })
  return {
    target: 'reference.html',
    title: 'API reference',
    html: `<h1>API reference</h1>${groups.map(({ html }) => html).join('')}`,
    headings: groups.map(({ name, anchor }) => ({ level: 2, title: name, anchor })),
    sections: groups.flatMap(({ anchor, own }) =>
      own.map(({ method, path, summary }) => ({ heading: `${method} ${path}`, anchor, text: summary })),
    ),
  }
}
