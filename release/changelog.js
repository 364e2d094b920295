/** The changelog of a release: what is under "Unreleased" becomes the section of the version. */

/** What the person who releases has to write first. */
export class ChangelogFault extends Error {}

const heading = '## Unreleased\n'

/**
 * @param date `2026-01-31`
 * @returns the new text, and the notes of the version: for a changelog that has the version already, the notes in it
 */
export function cutChangelog(text, version, date) {
  const released = new RegExp(`^## ${version.replaceAll('.', '\\.')} - .*\\n`, 'm').exec(text)
  if (released !== null) return { text, notes: sectionAt(text, released.index + released[0].length) }
  const start = text.indexOf(`\n${heading}`)
  if (start === -1) throw new ChangelogFault('CHANGELOG.md has no section "## Unreleased".')
  const from = start + 1 + heading.length
  const notes = sectionAt(text, from)
  if (!/^- /m.test(notes))
    throw new ChangelogFault('CHANGELOG.md lists nothing under "## Unreleased": write what has changed.')
  return { text: `${text.slice(0, from)}\n## ${version} - ${date}\n${text.slice(from)}`, notes }
}

function sectionAt(text, from) {
  const next = text.indexOf('\n## ', from - 1)
  return text.slice(from, next === -1 ? text.length : next).trim()
}
