import type { FastifyInstance } from 'fastify'
import { Type, type OperationRegistry } from 'sluice/sdk'
import type { OperationsOfOwner } from '../../http/http-host.ts'
import { registerDocsPage } from './docs-page.ts'
import { openApiDocument } from './openapi.ts'

export type DescribedServer = {
  readonly version: string
  readonly owners: () => readonly OperationsOfOwner[]
}

/** `GET /api/openapi.json`: all operations of the server and of the plugins that run, as an OpenAPI document; and its page. */
export function addOpenApiOperation(
  operations: OperationRegistry,
  app: FastifyInstance,
  { version, owners }: DescribedServer,
): void {
  const document = () => openApiDocument(owners(), version)
  operations.add({
    method: 'GET',
    path: '/api/openapi.json',
    summary: 'Description of the API',
    answer: Type.Record(Type.String(), Type.Unknown()),
    wire: 'bare',
    handle: document,
  })
  registerDocsPage(app, document)
}
