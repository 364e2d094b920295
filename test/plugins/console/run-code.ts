/** Runs code that the console copies, as a user would, with the admin key in the variable that the code reads. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { adminKey } from '../../support/gateway.ts'

const run = promisify(execFile)

type Language = 'curl' | 'OpenAI' | 'Anthropic'

/** SDK code ends with `const answer = …`. Packages are resolved from the checkout. */
function commandOf(language: Language, code: string): [string, string[]] {
  if (language === 'curl') return ['sh', ['-c', code]]
  return [process.execPath, ['--input-type=module', '-e', `${code}\nconsole.log(JSON.stringify(answer))`]]
}

const buttonOf: Readonly<Record<Language, string>> = {
  curl: 'Copy as curl',
  OpenAI: 'Copy as OpenAI code',
  Anthropic: 'Copy as Anthropic code',
}

/** Presses the button for a language, runs the code, and returns the answer that it prints. */
export async function copyAndRun(page: Page, language: Language): Promise<unknown> {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const button = page.getByRole('button', { name: buttonOf[language] })
  await button.click()
  await button.locator('xpath=..').getByText('Copied').waitFor()
  const code = String(await page.evaluate('navigator.clipboard.readText()'))
  expect(code).not.to.include(adminKey)
  const [command, words] = commandOf(language, code)
  const { stdout } = await run(command, words, { env: { ...process.env, GATEWAY_KEY: adminKey } })
  return JSON.parse(stdout)
}
