import { expect } from 'chai'
import { documentProblems, type OpenApi } from '../support/api/openapi.ts'
import { startServer, type RunningServer } from '../support/server.ts'

describe('/api/openapi.json', () => {
  let server: RunningServer
  let document: OpenApi
  before(async () => {
    server = await startServer()
    document = (await server.api('/api/openapi.json')).body as unknown as OpenApi
  })

  it('is valid and complete, plugins included', () => {
    expect(documentProblems(document)).to.eql([])
    expect(Object.keys(document.paths)).to.include.members([
      '/api/openapi.json',
      '/api/stream/info/{streamPath}',
      '/v6/api/streams/secret',
      '/rtmp/api/push/{streamPath}',
    ])
    expect(document.info['license']).to.eql({ name: 'MIT', identifier: 'MIT' })
  })
})
