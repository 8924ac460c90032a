import { StorageError } from '../storage-error.ts'
import { bufferBody, type RequestBody } from './body.ts'
import { contentTypeOf } from './content-type.ts'
import type { S3Requests } from './requests.ts'
import { hiddenError } from './s3-error.ts'
import { escapeXml, parseXml, textOf } from './xml.ts'

/** A multipart upload that the server knows. */
export type Multipart = { readonly key: string; readonly uploadId: string }

/** Begins a multipart upload (CreateMultipartUpload). */
export async function createMultipart(requests: S3Requests, key: string, signal?: AbortSignal): Promise<Multipart> {
  const headers = { 'content-type': contentTypeOf(key) }
  const { body } = await requests.send({ method: 'POST', key, query: { uploads: '' }, headers, signal })
  const uploadId = resultText(body, 'UploadId')
  if (uploadId === '') throw new StorageError('the server answered no id of an upload', { passes: false })
  return { key, uploadId }
}

/**
 * Sends a part (UploadPart).
 * @param number the number of the part, from 1 on
 * @returns its ETag
 */
export async function sendPart(
  requests: S3Requests,
  { key, uploadId }: Multipart,
  { number, body, signal }: { readonly number: number; readonly body: RequestBody; readonly signal: AbortSignal },
): Promise<string> {
  const query = { partNumber: String(number), uploadId }
  const { headers } = await requests.send({ method: 'PUT', key, query, body, signal })
  if (typeof headers['etag'] === 'string') return headers['etag']
  throw new StorageError('the server answered no ETag of a part', { passes: false })
}

/**
 * Makes the server put the parts together (CompleteMultipartUpload).
 * @param etags the ETags of all parts, in order
 * @returns the ETag of the whole; empty where the server names none
 */
export async function completeMultipart(
  requests: S3Requests,
  { key, uploadId }: Multipart,
  { etags, signal }: { readonly etags: readonly string[]; readonly signal: AbortSignal | undefined },
): Promise<string> {
  const parts = etags.map(
    (etag, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>${escapeXml(etag)}</ETag></Part>`,
  )
  const xml = `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${parts.join('')}</CompleteMultipartUpload>`
  const body = bufferBody(Buffer.from(xml))
  const headers = { 'content-type': 'application/xml' }
  const answer = await requests.send({ method: 'POST', key, query: { uploadId }, headers, body, signal })
  const error = hiddenError(requests.failureOf(answer))
  if (error !== undefined) throw error
  return resultText(answer.body, 'ETag')
}

/** Makes the server discard a multipart upload (AbortMultipartUpload). */
export async function abortMultipart(requests: S3Requests, { key, uploadId }: Multipart): Promise<void> {
  await requests.send({ method: 'DELETE', key, query: { uploadId } })
}

function resultText(body: Buffer, name: string): string {
  try {
    return textOf(parseXml(body.toString()), name)
  } catch (cause) {
    throw new StorageError(`the server's answer can't be read`, { passes: true, cause })
  }
}
