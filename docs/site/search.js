/** Search in the sections of all pages, and the navigation, which is open on wide screens. */
const script = document.currentScript
const field = document.querySelector('input[type="search"]')
const results = document.querySelector('#results')
const article = document.querySelector('article')
const menu = document.querySelector('.menu')
const wide = matchMedia('(min-width: 48.01rem)')
const follow = () => {
  menu.open = wide.matches
}
wide.addEventListener('change', follow)
follow()

const maxShown = 25
let sections = null
async function load() {
  sections ??= (await fetch(`${script.dataset.root}/search.json`)).json()
  return sections
}

/** Every word must occur; titles and headings count more than text. */
function scoreOf([, title, heading, , text], words) {
  let score = 0
  for (const word of words) {
    const inTitle = title.toLowerCase().includes(word)
    const inHeading = heading.toLowerCase().includes(word)
    const inText = text.toLowerCase().includes(word)
    if (!inTitle && !inHeading && !inText) return 0
    score += (inTitle ? 4 : 0) + (inHeading ? 6 : 0) + (inText ? 1 : 0)
  }
  return score
}

function excerpt(text, word) {
  const at = Math.max(0, text.toLowerCase().indexOf(word) - 60)
  return `${at > 0 ? '… ' : ''}${text.slice(at, at + 180)}${text.length > at + 180 ? ' …' : ''}`
}

async function search() {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean)
  const isOn = words.join('').length > 1
  results.hidden = !isOn
  article.hidden = isOn
  if (!isOn) return
  const found = (await load())
    .map((section) => ({ section, score: scoreOf(section, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
  const list = document.createElement('ol')
  for (const { section } of found.slice(0, maxShown)) {
    const [target, title, heading, anchor, text] = section
    const item = document.createElement('li')
    const link = document.createElement('a')
    link.href = `${script.dataset.root}/${target}${anchor === '' ? '' : `#${anchor}`}`
    link.textContent = heading === '' || heading === title ? title : `${title}: ${heading}`
    link.addEventListener('click', () => {
      field.value = ''
      search()
    })
    const part = document.createElement('p')
    part.textContent = excerpt(text, words[0])
    item.append(link, part)
    list.append(item)
  }
  const heading = document.createElement('h1')
  heading.textContent = found.length === 0 ? `Nothing found for “${field.value}”` : `${found.length} results`
  results.replaceChildren(heading, list)
}

field.addEventListener('input', search)
field.form.addEventListener('submit', (event) => {
  event.preventDefault()
  results.querySelector('a')?.click()
})
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || /^(INPUT|TEXTAREA)$/.test(document.activeElement.tagName)) return
  event.preventDefault()
  field.focus()
})
