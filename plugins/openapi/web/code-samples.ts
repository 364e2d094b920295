/** One request as code in three languages, from the operation's own examples. */

export interface Sample {
  method: string
  url: string
  headers: readonly (readonly [name: string, value: string])[]
  /** The JSON body. Null: the request has no body. */
  body: unknown
  /** Fields of a form, sent instead of a JSON body. */
  form: readonly string[]
}

const shellQuoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
const indented = (text: string, by: string) => text.replaceAll('\n', `\n${by}`)
const json = (value: unknown) => JSON.stringify(value, null, 2)

function curl({ method, url, headers, body, form }: Sample): string {
  return [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${shellQuoted(url)}`,
    ...headers.map(([name, value]) => `-H "${name}: ${value}"`),
    ...form.map((field) => `-F ${field}=${field === 'file' ? '@file' : '…'}`),
    ...(body === null ? [] : [`-d ${shellQuoted(json(body))}`]),
  ].join(' \\\n  ')
}

function javascript({ method, url, headers, body, form }: Sample): string {
  const values = headers.map(
    ([name, value]) => [name, value.replace('$GATEWAY_KEY', () => '$' + '{key}')] as const,
  )
  const lines = values.map(
    ([name, value]) => `    '${name}': ${value.includes('$') ? `\`${value}\`` : `'${value}'`},`,
  )
  return [
    ...(headers.some(([, value]) => value.includes('$')) ? ['const key = process.env.GATEWAY_KEY'] : []),
    ...(form.length === 0 ? [] : ['const form = new FormData() // append the fields of the request body']),
    `const response = await fetch('${url}', {`,
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    ...(lines.length === 0 ? [] : ['  headers: {', ...lines, '  },']),
    ...(form.length === 0 ? [] : ['  body: form,']),
    ...(body === null ? [] : [`  body: JSON.stringify(${indented(json(body), '  ')}),`]),
    '})',
    'console.log(response.status, await response.text())',
  ].join('\n')
}

/** JSON literals that Python spells differently. */
const python3 = (value: unknown): string =>
  json(value)
    .replace(/(^|[[:,{]\s*)true(?=\s*[,\]}\n]|$)/g, '$1True')
    .replace(/(^|[[:,{]\s*)false(?=\s*[,\]}\n]|$)/g, '$1False')
    .replace(/(^|[[:,{]\s*)null(?=\s*[,\]}\n]|$)/g, '$1None')

function python({ method, url, headers, body, form }: Sample): string {
  const values = headers.map(([name, value]) => {
    const text = value.replace('$GATEWAY_KEY', '{key}')
    return `        "${name}": ${text === value ? '' : 'f'}"${text}",`
  })
  return [
    'import os, requests',
    '',
    ...(headers.some(([, value]) => value.includes('$')) ? ['key = os.environ["GATEWAY_KEY"]'] : []),
    `response = requests.request(`,
    `    "${method}",`,
    `    "${url}",`,
    ...(values.length === 0 ? [] : ['    headers={', ...values, '    },']),
    ...(form.length === 0 ? [] : ['    files={},  # the fields of the request body']),
    ...(body === null ? [] : [`    json=${indented(python3(body), '    ')},`]),
    ')',
    'print(response.status_code, response.text)',
  ].join('\n')
}

export const languages: readonly (readonly [name: string, write: (sample: Sample) => string])[] = [
  ['cURL', curl],
  ['JavaScript', javascript],
  ['Python', python],
]
