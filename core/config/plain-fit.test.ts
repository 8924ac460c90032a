import { Ajv } from 'ajv'
import { expect } from 'chai'
import {
  array,
  assert,
  constantFrom,
  dictionary,
  double,
  integer,
  letrec,
  oneof,
  property,
  record,
  string,
} from 'fast-check'
import { plainFit } from './plain-fit.ts'
import type { JsonSchema } from './schema.ts'

const FORMATS = { short: (text: string) => text.length < 3 }
const NAMES = ['a', 'b', 'c']

const scalars = oneof(
  integer({ min: -3, max: 9 }),
  double({ min: -1e6, max: 1e6, noNaN: true }),
  string({ maxLength: 5 }),
  constantFrom(true, false, null),
)
const values = letrec<{ value: unknown }>((tie) => ({
  value: oneof(
    { maxDepth: 2, depthSize: 'small' },
    scalars,
    array(tie('value'), { maxLength: 3 }),
    dictionary(constantFrom(...NAMES), tie('value'), { maxKeys: 3 }),
  ),
})).value

const plain = {
  type: constantFrom('string', 'boolean', 'number', 'integer', 'object', 'array'),
  title: constantFrom('words for people'),
  const: scalars,
  format: constantFrom('short'),
  pattern: constantFrom('^a', '[0-9]'),
  minLength: integer({ min: 0, max: 4 }),
  minimum: integer({ min: -2, max: 5 }),
  maximum: integer({ min: 0, max: 8 }),
  multipleOf: constantFrom(2, 3),
  minItems: integer({ min: 0, max: 2 }),
  maxItems: integer({ min: 0, max: 3 }),
  required: array(constantFrom(...NAMES), { maxLength: 2 }),
}
const schemas = letrec<{ schema: object }>((tie) => ({
  schema: oneof(
    { maxDepth: 2, depthSize: 'small' },
    record(plain, { requiredKeys: [] }),
    record(
      {
        ...plain,
        anyOf: array(tie('schema'), { minLength: 1, maxLength: 2 }),
        items: tie('schema'),
        properties: dictionary(constantFrom(...NAMES), tie('schema'), { maxKeys: 2 }),
        patternProperties: dictionary(constantFrom('^a$', '[bc]'), tie('schema'), { maxKeys: 2 }),
        additionalProperties: oneof(constantFrom(true, false), tie('schema')),
        propertyNames: tie('schema'),
      },
      { requiredKeys: [] },
    ),
  ),
})).schema

describe('plainFit', () => {
  it('says what a validator says, where it says anything', () => {
    const ajv = new Ajv({ strict: false, meta: false, validateSchema: false, formats: FORMATS })
    let answers = 0
    assert(
      property(schemas, values, (schema, value) => {
        const fit = plainFit(schema, value, FORMATS)
        if (fit === undefined) return
        answers++
        expect(fit).to.equal(ajv.compile(schema)(value))
      }),
      { numRuns: 300 },
    )
    expect(answers).to.be.greaterThan(200)
  })

  it('leaves other words, and words that are not written well, to a validator', () => {
    for (const schema of [{ not: {} }, { type: 'strange' }, { minimum: '5' }, { format: 'unknown' }, { items: [{}] }]) {
      expect(plainFit(schema as JsonSchema, 7, FORMATS), JSON.stringify(schema)).to.equal(undefined)
    }
  })
})
