import { StorageError } from '../storage-error.ts'
import type { S3Requests } from './requests.ts'
import { parseXml, textOf, type XmlElement } from './xml.ts'

/** An object in a list. */
export type ListedObject = {
  /** The key without the prefix of the config. */
  readonly key: string
  readonly sizeBytes: number
  readonly modified: Date
}

type PageRequest = {
  readonly prefix: string
  /** The token at the end of the former page; undefined for the first page. */
  readonly token: string | undefined
  readonly signal: AbortSignal | undefined
}

type Page = { readonly objects: readonly ListedObject[]; readonly nextToken: string | undefined }

/**
 * Asks for up to a thousand objects (ListObjectsV2).
 * @throws {StorageError} when that fails, or the answer can't be read
 */
export async function listPage(requests: S3Requests, { prefix, token, signal }: PageRequest): Promise<Page> {
  const own = requests.endpoint.prefix
  const { body } = await requests.send({
    method: 'GET',
    query: {
      'list-type': '2',
      'encoding-type': 'url',
      prefix: own + prefix,
      ...(token !== undefined && { 'continuation-token': token }),
    },
    signal,
  })
  const root = resultOf(body)
  const isEncoded = textOf(root, 'EncodingType') === 'url'
  const contents = root.children.filter(({ name }) => name === 'Contents')
  return {
    objects: contents.map((element) => objectOf(element, own, isEncoded)),
    nextToken: (textOf(root, 'IsTruncated') === 'true' && textOf(root, 'NextContinuationToken')) || undefined,
  }
}

function resultOf(body: Buffer): XmlElement {
  try {
    const root = parseXml(body.toString())
    if (root.name === 'ListBucketResult') return root
  } catch (cause) {
    throw unreadable(cause)
  }
  throw unreadable()
}

function objectOf(element: XmlElement, own: string, isEncoded: boolean): ListedObject {
  const text = textOf(element, 'Key')
  const key = isEncoded ? decoded(text) : text
  const sizeBytes = Number(textOf(element, 'Size'))
  if (!key.startsWith(own) || !Number.isSafeInteger(sizeBytes)) throw unreadable()
  return { key: key.slice(own.length), sizeBytes, modified: new Date(textOf(element, 'LastModified')) }
}

/** Some servers write a space as `+`, as in forms; a plus is encoded by all. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch (cause) {
    throw unreadable(cause)
  }
}

function unreadable(cause?: unknown): StorageError {
  return new StorageError('the server answered no list of objects that can be read', { passes: false, cause })
}
