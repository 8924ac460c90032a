import { expect } from 'chai'
import { faultsOf, isSame } from './validator.ts'
import type { FieldSchema } from './field-schema.ts'

const CAMERA: FieldSchema = {
  type: 'object',
  required: ['name', 'port'],
  additionalProperties: false,
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 4, pattern: '^[\\p{L}]*$' },
    port: { type: 'integer', minimum: 1, maximum: 65_535 },
    speed: { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 16 },
    mode: { enum: ['tcp', 'udp'] },
    merge: {
      oneOf: [
        { const: 0, title: 'Never' },
        { const: 1, title: 'Always' },
      ],
    },
    tags: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 2 },
    kind: { anyOf: [{ type: 'string' }, { type: 'integer' }] },
    headers: { type: 'object', propertyNames: { pattern: '^[a-z]+$' }, additionalProperties: { type: 'string' } },
    rules: { type: 'object', patternProperties: { '^live/': { type: 'boolean' } }, additionalProperties: false },
  },
}
const GOOD = { name: 'Tür', port: 80 }

function broken(part: Readonly<Record<string, unknown>>): string[] {
  return faultsOf(CAMERA, { ...GOOD, ...part }).map(({ path, rule, limit = '' }) =>
    `${path.join('/')} ${rule} ${limit}`.trim(),
  )
}

describe('the values of a form', () => {
  it('are right when they fit the schema', () => {
    const rest = {
      speed: 1.5,
      mode: 'udp',
      merge: 1,
      tags: ['a'],
      kind: 7,
      headers: { a: 'b' },
      rules: { 'live/a': true },
    }
    expect(broken(rest)).to.eql([])
    expect(broken({ mode: undefined })).to.eql([])
  })

  const wrong: readonly [part: Readonly<Record<string, unknown>>, fault: string][] = [
    [{ name: undefined }, 'name required'],
    [{ name: '' }, 'name minLength 1'],
    [{ name: 'abcde' }, 'name maxLength 4'],
    [{ name: 'a b' }, 'name pattern ^[\\p{L}]*$'],
    [{ name: 7 }, 'name type string'],
    [{ port: 0 }, 'port minimum 1'],
    [{ port: 65_536 }, 'port maximum 65535'],
    [{ port: 1.5 }, 'port type integer'],
    [{ port: Number.NaN }, 'port type integer'],
    [{ speed: 0 }, 'speed above 0'],
    [{ speed: 16 }, 'speed below 16'],
    [{ mode: 'sctp' }, 'mode choice'],
    [{ merge: 2 }, 'merge choice'],
    [{ tags: [] }, 'tags minItems 1'],
    [{ tags: ['a', 'b', 'c'] }, 'tags maxItems 2'],
    [{ tags: ['a', 1] }, 'tags/1 type string'],
    [{ tags: {} }, 'tags type array'],
    [{ kind: true }, 'kind union'],
    [{ headers: { A: 'b' } }, 'headers/A name'],
    [{ headers: { a: 1 } }, 'headers/a type string'],
    [{ rules: { 'vod/a': true } }, 'rules/vod/a unknown'],
    [{ rules: { 'live/a': 1 } }, 'rules/live/a type boolean'],
    [{ color: 'red' }, 'color unknown'],
  ]
  for (const [part, fault] of wrong) {
    it(`are wrong: ${JSON.stringify(part)}`, () => {
      expect(broken(part)).to.eql([fault])
    })
  }

  it('are all told at once', () => {
    expect(broken({ name: '', port: 0, tags: [1] })).to.eql([
      'name minLength 1',
      'port minimum 1',
      'tags/0 type string',
    ])
  })

  it('are the same where they are the same JSON', () => {
    expect(isSame({ a: [1, { b: null }] }, { a: [1, { b: null }], c: undefined })).to.equal(true)
    expect(isSame({ a: 1 }, { b: 1 })).to.equal(false)
    expect(isSame([], {})).to.equal(false)
    expect(isSame([1, 2], [2, 1])).to.equal(false)
  })
})
