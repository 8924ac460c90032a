import { expect } from 'chai'
import { Type } from 'sluice/sdk'
import type { JsonSchema } from '../../config/schema.ts'
import { writtenSchema } from './written-schema.ts'

/** The schema of one key. */
const of = (schema: JsonSchema) => JSON.parse(JSON.stringify(writtenSchema(schema))) as JsonSchema

describe('writtenSchema', () => {
  const cases: readonly { name: string; schema: JsonSchema; expected: JsonSchema }[] = [
    {
      name: 'a union of literals is a list of values with their type',
      schema: Type.Union([Type.Literal('tcp'), Type.Literal('udp')], { default: 'tcp', description: 'Transport' }),
      expected: { type: 'string', enum: ['tcp', 'udp'], default: 'tcp', description: 'Transport' },
    },
    {
      name: 'one of numbers, too',
      schema: Type.Union([Type.Literal(24), Type.Literal(25)], { default: 25 }),
      expected: { type: 'number', enum: [24, 25], default: 25 },
    },
    {
      name: 'values keep the words that there are for them',
      schema: Type.Union([Type.Literal(0, { title: 'Never' }), Type.Literal(1)], { default: 0 }),
      expected: {
        type: 'number',
        default: 0,
        oneOf: [
          { const: 0, title: 'Never' },
          { const: 1, title: '1' },
        ],
      },
    },
    {
      name: 'values of several types have none',
      schema: Type.Union([Type.Literal('auto'), Type.Literal(1)]),
      expected: { enum: ['auto', 1] },
    },
    {
      name: 'another union stays',
      schema: Type.Union([Type.Literal('auto'), Type.Integer()]),
      expected: { anyOf: [{ const: 'auto', type: 'string' }, { type: 'integer' }] },
    },
    {
      name: 'a list of them is one of such values',
      schema: Type.Array(Type.Union([Type.Literal('publish'), Type.Literal('play')])),
      expected: { type: 'array', items: { type: 'string', enum: ['publish', 'play'] } },
    },
    {
      name: 'keys have titles, their own or such that are made of them, also within maps',
      schema: Type.Object({
        default: Type.Optional(Type.Union([Type.Literal('a'), Type.Literal('b')])),
        maxfps: Type.Integer({ default: 1, title: 'Pictures a second' }),
        headers: Type.Record(Type.String({ pattern: '^x' }), Type.Object({ savepath: Type.String({ default: '' }) })),
      }),
      expected: {
        type: 'object',
        required: ['headers'],
        properties: {
          default: { title: 'Default', type: 'string', enum: ['a', 'b'] },
          maxfps: { title: 'Pictures a second', type: 'integer', default: 1 },
          headers: {
            title: 'Headers',
            type: 'object',
            patternProperties: {
              '^x': {
                type: 'object',
                required: [],
                properties: { savepath: { title: 'Save path', type: 'string', default: '' } },
              },
            },
          },
        },
      },
    },
  ]
  for (const { name, schema, expected } of cases) it(name, () => expect(of(schema)).to.eql(expected))
})
