import { expect } from 'chai'
import { typescriptOfSchema } from './typescript-of-schema.ts'

const Name = { type: 'string' }
const Count = { type: 'integer', minimum: 0 }

describe('TypeScript of a JSON Schema', () => {
  const cases: readonly (readonly [schema: unknown, type: string])[] = [
    [{ type: 'string', pattern: '^a' }, 'string'],
    [{ type: 'integer' }, 'number'],
    [{ type: 'number' }, 'number'],
    [{ type: 'boolean' }, 'boolean'],
    [{ type: 'null' }, 'null'],
    [{ type: ['string', 'null'] }, 'string | null'],
    [{ type: ['number', 'integer'] }, 'number'],
    [{ type: 'string', format: 'date-time' }, 'DateTime'],
    [{ type: ['string', 'integer'], format: 'int64' }, 'Int64 | number'],
    [{ type: 'string', format: 'stream-path' }, 'string'],
    [{}, 'unknown'],
    [{ description: 'As in a file' }, 'unknown'],
    [true, 'unknown'],
    [false, 'never'],
    [{ const: 3 }, '3'],
    [{ const: null }, 'null'],
    [{ enum: ['on', "it's", 'a"b', 'a\\b', 1, null] }, String.raw`'on' | 'it\'s' | 'a"b' | 'a\\b' | 1 | null`],
    [{ anyOf: [Name, Count, Name] }, 'string | number'],
    [{ anyOf: [Name, {}] }, 'unknown'],
    [{ oneOf: [{ const: 'a' }, { const: 'b' }] }, `'a' | 'b'`],
    [{ allOf: [{ $ref: '#/components/schemas/Done' }, { anyOf: [Name, Count] }] }, 'Done & (string | number)'],
    [{ allOf: [Name, {}] }, 'string'],
    [{ type: 'array', items: Name }, 'string[]'],
    [{ type: 'array' }, 'unknown[]'],
    [{ type: 'array', items: { anyOf: [Name, Count] } }, '(string | number)[]'],
    [{ type: 'array', items: { enum: ['a|b'] } }, `'a|b'[]`],
    [{ type: 'array', items: { type: 'object', properties: { a: { enum: [1, 2] } } } }, '{ a?: 1 | 2 }[]'],
    [{ type: 'object' }, 'Record<string, unknown>'],
    [{ type: 'object', additionalProperties: false }, 'Record<string, never>'],
    [{ type: 'object', additionalProperties: Count }, 'Record<string, number>'],
    [{ type: 'object', patternProperties: { '^.*$': { anyOf: [Name, Count] } } }, 'Record<string, string | number>'],
    [
      { type: 'object', required: ['a'], properties: { a: Name, b: Count, 'c-d': Name, $e: Name } },
      `{ a: string; b?: number; 'c-d'?: string; $e?: string }`,
    ],
    [{ type: 'object', properties: { a: Name }, additionalProperties: false }, '{ a?: string }'],
    [
      { type: 'object', properties: { a: Name }, additionalProperties: true },
      '{ a?: string } & Record<string, unknown>',
    ],
    [
      { type: 'object', required: ['a'], properties: { a: Name }, anyOf: [{ $ref: '#/x/A' }, { $ref: '#/x/B' }] },
      '{ a: string } & (A | B)',
    ],
  ]
  for (const [schema, type] of cases) {
    it(`${JSON.stringify(schema)} is ${type}`, () => expect(typescriptOfSchema(schema)).to.equal(type))
  }

  it('has descriptions as comments, in front of what they are about', () => {
    const inner = { type: 'object', properties: { b: { ...Count, description: 'Not  below\n0 */' } } }
    const schema = {
      type: 'object',
      required: ['list'],
      properties: { list: { type: 'array', items: inner }, a: Name },
    }
    expect(typescriptOfSchema(schema)).to.equal(
      ['{', '  list: {', String.raw`    /** Not below 0 *\/ */`, '    b?: number', '  }[]', '  a?: string', '}'].join(
        '\n',
      ),
    )
  })
})
