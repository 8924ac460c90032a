import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect } from 'chai'
import { Int64, StreamPath, Type } from 'sluice/sdk'
import { OperationRoutes } from 'sluice/sdk/host'
import { createApp } from '../../http/testing/ask-operations.ts'
import { openApiDocument } from './openapi.ts'

type Described = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, unknown>>>>>>
  readonly components: { readonly schemas: Readonly<Record<string, object>> }
}

describe('the OpenAPI document', () => {
  async function described(mounts: readonly string[], add: (operations: OperationRoutes) => void): Promise<Described> {
    const app = createApp()
    const operations = new OperationRoutes({ targetOf: () => app })
    add(operations)
    const document = openApiDocument([{ mounts, operations }], '1.2.3')
    await app.close()
    return document as Described
  }

  /** What the answer of an operation must be, as a check of values. */
  function validatorOf({ paths, components }: Described, path: string, method: string) {
    const ajv = new Ajv2020({ strict: false, logger: false })
    const responses = paths[path]?.[method]?.['responses'] as Record<
      string,
      { content: Record<string, { schema: object }> }
    >
    const schema = responses['200']?.content['application/json']?.schema
    return ajv.compile({ $ref: '#/answer', answer: schema, components })
  }

  it('has each spelling, below each mount, with its parameters', async () => {
    const { paths } = await described(['mp4', 'video'], (operations) =>
      operations.add({
        method: 'POST',
        path: 'api/start/{streamPath}',
        aliases: ['GET api/begin/{streamPath}', '/api/mp4/start/{streamPath}'],
        summary: 'Start recording',
        params: Type.Object({ streamPath: StreamPath() }),
        query: Type.Object({
          fragment: Type.String({ default: '1m' }),
          count: Int64(),
          note: Type.Optional(Type.String()),
        }),
        reach: { stream: 'streamPath' },
        handle() {},
      }),
    )
    expect(Object.keys(paths)).to.eql([
      '/mp4/api/start/{streamPath}',
      '/video/api/start/{streamPath}',
      '/mp4/api/begin/{streamPath}',
      '/video/api/begin/{streamPath}',
      '/api/mp4/start/{streamPath}',
    ])
    const operation = paths['/mp4/api/start/{streamPath}']?.['post']
    expect(operation).to.include({ summary: 'Start recording', 'x-access': 'admin', 'x-reach': 'stream' })
    const description = 'A stream path such as live/test; its slashes may stand as they are'
    expect(operation?.['parameters']).to.eql([
      {
        name: 'streamPath',
        in: 'path',
        required: true,
        description,
        schema: { type: 'string', format: 'stream-path' },
      },
      { name: 'fragment', in: 'query', required: false, schema: { type: 'string', default: '1m' } },
      { name: 'count', in: 'query', required: true, schema: { type: ['string', 'integer'], format: 'int64' } },
      { name: 'note', in: 'query', required: false, schema: { type: 'string' } },
    ])
    expect(paths['/mp4/api/begin/{streamPath}']?.['get']).to.include({ deprecated: true })
  })

  it('tells operations apart, and what they are about', async () => {
    const app = createApp()
    const operationsOf = (path: string) => {
      const operations = new OperationRoutes({ targetOf: () => app })
      operations.add({ method: 'GET', path, summary: 'X', access: 'public', handle() {} })
      return operations
    }
    const document = openApiDocument(
      [
        { mounts: [], operations: operationsOf('/api/stream/list') },
        { mounts: [], operations: operationsOf('/api/sysinfo') },
        { plugin: 'mp4', mounts: ['mp4'], operations: operationsOf('api/list') },
      ],
      '1.2.3',
    ) as Described
    await app.close()
    const told = Object.values(document.paths).map(({ get }) => [get?.['operationId'], get?.['tags']])
    expect(told).to.eql([
      ['getApiStreamList', ['streams']],
      ['getApiSysinfo', ['system']],
      ['getMp4ApiList', ['mp4']],
    ])
    expect(document.paths['/api/sysinfo']?.['get']).to.deep.include({ security: [] })
  })

  it('has what a body says in the query of a GET', async () => {
    const { paths } = await described([], (operations) =>
      operations.add({
        method: 'POST',
        path: '/api/x/{id}',
        aliases: ['GET /api/x/{id}/set'],
        summary: 'X',
        params: Type.Object({ id: Type.Integer() }),
        body: Type.Object({
          id: Type.Optional(Type.Integer()),
          name: Type.String({ description: 'Of it' }),
        }),
        handle() {},
      }),
    )
    const [post, get] = [paths['/api/x/{id}']?.['post'], paths['/api/x/{id}/set']?.['get']]
    expect(post?.['requestBody']).to.include({ required: true })
    expect(get).not.to.have.property('requestBody')
    expect(get?.['parameters']).to.eql([
      { name: 'id', in: 'path', required: true, schema: { type: 'integer' } },
      { name: 'name', in: 'query', required: true, description: 'Of it', schema: { type: 'string' } },
    ])
  })

  const Item = Type.Object({ bytes: Int64(), name: Type.Optional(Type.String()) })
  const success = { code: 0, message: 'success' }
  const wires = [
    { wire: 'envelope', answer: Item, body: { ...success, data: { bytes: '5' } } },
    { wire: 'fields', answer: Item, body: { ...success, bytes: '5' } },
    { wire: 'bare', answer: Item, body: { bytes: '5' } },
    {
      wire: 'envelope',
      answer: Type.Array(Item),
      paged: true,
      body: { ...success, data: [], total: 0, pageNum: 1, pageSize: 0 },
    },
  ] as const
  for (const { body, ...wire } of wires) {
    it(`describes an answer as it is sent: ${JSON.stringify(body)}`, async () => {
      const document = await described([], (operations) =>
        operations.add({ method: 'GET', path: '/api/x', summary: 'X', ...wire, handle: () => [] }),
      )
      const isValid = validatorOf(document, '/api/x', 'get')
      expect(isValid(body), JSON.stringify(isValid.errors)).to.equal(true)
      expect(isValid(wire.wire === 'bare' ? { bytes: 5 } : { data: body })).to.equal(false)
    })
  }

  it('lists WebSockets', async () => {
    const { paths } = await described(['gb28181'], (operations) =>
      operations.socket({
        path: 'api/talk',
        summary: 'Talk',
        query: Type.Object({ deviceId: Type.String() }),
        open() {},
      }),
    )
    const operation = paths['/gb28181/api/talk']?.['get']
    expect(operation).to.include({ summary: 'Talk', 'x-access': 'admin' })
    expect(operation?.['responses']).to.have.property('101')
  })
})
