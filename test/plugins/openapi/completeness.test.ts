/** Every operation of a whole gateway is described, has a valid example request and error answers with examples. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect } from 'chai'
import { startGateway, type TestGateway } from '../../support/gateway.ts'
import { objectOf } from '../../support/openapi.ts'

type Described = Record<string, unknown>

interface Found {
  id: string
  pointer: string
  operation: Described
}

const escaped = (name: string) => encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))

function operationsOf(document: Described): Found[] {
  return Object.entries(objectOf(document.paths)).flatMap(([path, item]) =>
    Object.entries(objectOf(item)).map(([method, operation]) => ({
      id: `${method.toUpperCase()} ${path}`,
      pointer: `#/paths/${escaped(path)}/${method}`,
      operation: objectOf(operation),
    })),
  )
}

describe('the OpenAPI document of a whole gateway', () => {
  let gateway: TestGateway
  let document: Described
  let operations: Found[]
  before(async () => {
    gateway = await startGateway({ providers: { echo: { provider: 'echo' } } })
    document = objectOf(await (await fetch(`${gateway.url}/v1/openapi.json`)).json())
    operations = operationsOf(document)
  })
  after(() => gateway.stop())

  const faulty = (isWrong: (found: Found) => boolean) => operations.filter(isWrong).map(({ id }) => id)

  it('describes every operation in more words than its summary', () => {
    expect(operations.length).to.be.greaterThan(400)
    const wrong = faulty(({ operation: { summary, description } }) => {
      return typeof description !== 'string' || description.length < String(summary).length + 20
    })
    expect(wrong).to.deep.equal([])
  })

  it('summarises every operation in the third person, with the right article and no full stop', () => {
    const wrong = faulty(({ operation: { summary } }) => {
      const text = String(summary)
      return !/^[A-Z][a-z]+s\b/.test(text) || /\ba [aeio]|\ban [bcdfgjkpqtvwz]|\.$/i.test(text)
    })
    expect(wrong).to.deep.equal([])
  })

  it('has an example of every required parameter', () => {
    const wrong = faulty(({ operation: { parameters = [] } }) =>
      (parameters as Described[]).some(({ required, example }) => required === true && example === undefined),
    )
    expect(wrong).to.deep.equal([])
  })

  it('has an example of every request body, valid against its schema', () => {
    const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false })
    ajv.addSchema({ $id: 'document', ...document })
    const wrong: string[] = []
    let bodies = 0
    for (const { id, pointer, operation } of operations) {
      for (const [type, media] of Object.entries(objectOf(objectOf(operation.requestBody).content))) {
        const { schema, example } = objectOf(media)
        bodies += 1
        if (example === undefined) wrong.push(`${id} has no example of ${type}`)
        if (schema === undefined) continue
        const validate = ajv.compile({
          $ref: `document${pointer}/requestBody/content/${escaped(type)}/schema`,
        })
        if (!validate(example)) wrong.push(`${id}: ${ajv.errorsText(validate.errors)}`)
      }
    }
    expect(bodies).to.be.greaterThan(100)
    expect(wrong).to.deep.equal([])
  })

  it('has error answers for every operation, with an example unless a standard defines their format', () => {
    const responses = objectOf(objectOf(document.components).responses)
    const wrong: string[] = []
    for (const { id, operation } of operations) {
      const errors = Object.entries(objectOf(operation.responses)).filter(
        ([status]) => !/^[123]/.test(status),
      )
      if (!errors.some(([status]) => status === 'default')) wrong.push(`${id} has no error answer`)
      for (const [status, answer] of errors) {
        const { $ref: reference, content, description } = objectOf(answer)
        const target =
          reference === undefined ? null : objectOf(responses[String(reference).split('/').at(-1) ?? ''])
        const examples = Object.values(objectOf(target?.content ?? {})).map(
          (media) => objectOf(media).example,
        )
        if (target === null ? content === undefined || description === '' : examples.includes(undefined))
          wrong.push(`${id} ${status}`)
      }
    }
    expect(wrong).to.deep.equal([])
  })
})
