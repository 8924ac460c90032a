import { Type, type OperationRegistry } from 'sluice/sdk'
import type { OperationsOfOwner } from '../../http/routes-of-owner.ts'
import { openApiDocument } from './openapi.ts'

/** `GET /api/openapi.json`: all operations of the server and of the plugins that run, as an OpenAPI document. */
export function addOpenApiOperation(
  operations: OperationRegistry,
  version: string,
  owners: () => readonly OperationsOfOwner[],
): void {
  operations.add({
    method: 'GET',
    path: '/api/openapi.json',
    summary: 'Description of the API',
    answer: Type.Record(Type.String(), Type.Unknown()),
    wire: 'bare',
    handle: () => openApiDocument(owners(), version),
  })
}
