/** A browser without scripts: keeps cookies, follows same-origin redirects, fills in forms. */

interface Page {
  url: string
  status: number
  text: string
}

export interface Browser {
  /** Stops before it leaves the origin; the page then contains the destination. */
  open(url: string): Promise<Page>
  /** Sends the form that has all these fields; a button is a field, too. */
  submit(page: Page, fields: Readonly<Record<string, string>>): Promise<Page>
}

const maxRedirects = 10

export function createBrowser(origin: string): Browser {
  const cookies = new Map<string, string>()

  async function go(url: string, init: RequestInit = {}): Promise<Page> {
    let next = new URL(url, origin)
    let sent = init
    for (let count = 0; count < maxRedirects; count += 1) {
      if (next.origin !== new URL(origin).origin) return { url: next.href, status: 0, text: '' }
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      const response = await fetch(next, {
        ...sent,
        redirect: 'manual',
        headers: { ...(sent.headers as Record<string, string>), ...(cookie === '' ? {} : { cookie }) },
      })
      for (const line of response.headers.getSetCookie()) {
        const [name = '', value = ''] = line.split(';')[0]?.split('=') ?? []
        cookies.set(name, value)
      }
      const location = response.headers.get('location')
      const text = await response.text()
      if (location === null) return { url: next.href, status: response.status, text }
      next = new URL(location, next)
      sent = {}
    }
    throw new Error('The browser was redirected too often.')
  }

  return {
    open: (url) => go(url),
    submit(page, fields) {
      const forms = page.text.match(/<form[\s\S]*?<\/form>/g) ?? []
      const form = forms.find((one) => Object.keys(fields).every((name) => one.includes(`name="${name}"`)))
      if (form === undefined) throw new Error(`No form has ${Object.keys(fields).join(', ')}.`)
      const hidden = [...form.matchAll(/type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(
        ([, name = '', value = '']) => [name, unescapeHtml(value)],
      )
      const action = /action="([^"]+)"/.exec(form)?.[1] ?? page.url
      return go(new URL(action, page.url).href, {
        method: 'POST',
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          origin,
          'sec-fetch-site': 'same-origin',
        },
        body: new URLSearchParams({ ...Object.fromEntries(hidden), ...fields }).toString(),
      })
    },
  }
}

const unescapeHtml = (text: string) =>
  text.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
