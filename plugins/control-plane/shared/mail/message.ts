/**
 * A message as plain text and as simple HTML, without images and scripts. Only facts are inserted into its fixed texts.
 */

export interface Message {
  subject: string
  text: string
  html: string
}

export interface Content {
  subject: string
  /** The event, in one or two sentences. */
  intro: string
  facts: readonly (readonly [name: string, value: string])[]
  link: { label: string; url: string } | null
}

const longestName = 100

/** A user-chosen name, made safe for one line: without control characters and bidirectional marks, and shortened. */
export const plainName = (name: string): string =>
  name
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, longestName)

export function writeMessage({ subject, intro, facts, link }: Content): Message {
  const lines = facts.map(([name, value]) => `${name}: ${value}`)
  const text = [intro, lines.join('\n'), link === null ? '' : `${link.label}: ${link.url}`, footer]
  const rows = facts.map(
    ([name, value]) => `<tr><td>${escapeHtml(name)}</td><td>${escapeHtml(value)}</td></tr>`,
  )
  const html = [
    '<!doctype html>',
    `<html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(subject)}</title></head><body>`,
    `<p>${escapeHtml(intro)}</p>`,
    rows.length === 0 ? '' : `<table cellpadding="4">${rows.join('')}</table>`,
    link === null ? '' : `<p><a href="${escapeHtml(link.url)}">${escapeHtml(link.label)}</a></p>`,
    `<p>${footer}</p>`,
    '</body></html>',
  ]
  return {
    subject,
    text: `${text.filter((part) => part !== '').join('\n\n')}\n`,
    html: html.filter((part) => part !== '').join('\n'),
  }
}

const footer = 'The AI gateway sent this message. Replies are not read.'

const escapeHtml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
