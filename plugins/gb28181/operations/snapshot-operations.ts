import type { IncomingMessage } from 'node:http'
import { InvalidRequest, StreamUnavailable, Type } from 'sluice/sdk'
import { UploadUnknown } from '../errors.ts'
import type { Platform } from '../platform.ts'
import type { Snapshots } from '../snapshot/snapshots.ts'
import { isJpeg, jpegIn } from '../snapshot/upload-body.ts'
import { assertKnows } from './known-feature.ts'
import { ONE_CHANNEL, targetOf, type AddOperation } from './requests.ts'

/** The largest picture. */
const MAX_PICTURE_BYTES = 8 * 1024 * 1024
/** The longest base64 of a picture. */
const MAX_TEXT_LENGTH = 12 * 1024 * 1024

/** Adds the operations of pictures that devices take (api.md 7). */
export function addSnapshotOperations(add: AddOperation, platform: Platform, snapshots: Snapshots): void {
  const { ctx } = platform

  add({
    method: 'GET',
    path: 'api/snap/{deviceId}/{channelId}',
    summary: 'Snapshot: has a device of 2022 take a picture and upload it',
    params: ONE_CHANNEL,
    query: Type.Object({ mark: Type.Optional(Type.String({ maxLength: 64, description: 'A word for the log' })) }),
    answer: Type.Object({
      imageData: Type.String({ description: 'The JPEG as base64; empty where it has not come in time' }),
    }),
    wire: 'fields',
    access: 'admin',
    async handle({ params, query: { mark }, request, signal }) {
      const device = targetOf(platform, params)
      assertKnows(device, 'SnapShotConfig')
      const { channelId } = params
      if (mark !== undefined) ctx.log.info({ device: device.id, channel: channelId, mark }, 'a picture is taken')
      const jpeg = await snapshots.take({ device, channelId, ...httpOf(platform, request), signal })
      return { imageData: jpeg?.toString('base64') ?? '' }
    },
  })

  add({
    method: 'POST',
    path: 'api/snap/upload',
    summary: 'Takes the picture of a device, once for the token that it was told',
    query: Type.Object({ token: Type.String({ maxLength: 64 }) }),
    body: Type.Object({ imageData: Type.String({ maxLength: MAX_TEXT_LENGTH, description: 'A JPEG as base64' }) }),
    access: 'public',
    async handle({ query: { token }, body: { imageData } }) {
      if (!snapshots.expects(token)) throw new UploadUnknown()
      const jpeg = Buffer.from(imageData, 'base64')
      if (!isJpeg(jpeg)) throw new InvalidRequest('imageData must be a JPEG by base64')
      if (!(await snapshots.arrived(token, jpeg))) throw new UploadUnknown()
    },
  })

  addUploadRoute(platform, snapshots)
}

/** Adds the address that devices are told, which takes a picture in each form that they send it in. */
function addUploadRoute({ ctx }: Platform, snapshots: Snapshots): void {
  void ctx.http.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, parsed) => parsed(null, body))
    scope.route<{ Params: { token: string } }>({
      method: ['POST', 'PUT'],
      url: '/api/snap/upload/:token',
      bodyLimit: MAX_PICTURE_BYTES,
      config: { access: 'public', changes: true },
      // What a stranger sends is not read.
      onRequest: (request, _reply, next) =>
        next(snapshots.expects(request.params.token) ? undefined : new UploadUnknown()),
      async handler({ params: { token }, body }) {
        const jpeg = Buffer.isBuffer(body) ? jpegIn(body) : undefined
        if (jpeg === undefined) throw new InvalidRequest('the body must be a JPEG')
        if (!(await snapshots.arrived(token, jpeg))) throw new UploadUnknown()
        return { code: 0, message: 'success' }
      },
    })
    done()
  })
}

/** The port by which devices reach HTTP here: that of the config, or the one that the client of the API has come to. */
function httpOf(
  { ctx }: Platform,
  { socket }: IncomingMessage,
): { readonly httpPort: number; readonly isTls: boolean } {
  const { listenaddr, listenaddrtls } = ctx.global.http
  const [plain, tls] = [portOf(listenaddr), portOf(listenaddrtls)]
  if (plain > 0) return { httpPort: plain, isTls: false }
  if (listenaddr === '' && tls > 0) return { httpPort: tls, isTls: true }
  const port = socket?.localPort
  if (port === undefined) throw new StreamUnavailable('the port of HTTP is not known in this process')
  return { httpPort: port, isTls: 'encrypted' in socket }
}

/** The port of an address as the config has it; 0 where it names none. */
function portOf(listenaddr: string): number {
  return Number(/:(\d+)$/u.exec(listenaddr)?.[1] ?? 0)
}
