import {
  createFormatWriter,
  StreamUnavailable,
  type MediaTrack,
  type RecordingBytes,
  type RecordService,
  type ResumedFile,
  type ServiceRegistry,
  type Track,
} from 'sluice/sdk'
import { canCarryInTs, serializeTsRestart, TS_FORMAT, TS_PACKET_SIZE_BYTES } from 'sluice/sdk/media'
import { TsRecording } from '../file/ts-recording.ts'

/** Records streams as MPEG-TS. */
export const TS_RECORDS: RecordService = {
  extension: '.ts',
  contentType: 'video/mp2t',
  carries: canCarryInTs,
  createWriter: (tracks) => createFormatWriter(TS_FORMAT, tracks),
  open: (bytes) => TsRecording.open(bytes, 'decoded'),
  resume,
  wholeSizeBytes: ({ sizeBytes }) => Promise.resolve(sizeBytes - (sizeBytes % TS_PACKET_SIZE_BYTES)),
}

/** Continues after the last packet of a file with the same codecs: decoder configurations come with each keyframe. */
async function resume(bytes: RecordingBytes, tracks: readonly MediaTrack[]): Promise<ResumedFile | undefined> {
  const former = await TsRecording.open(bytes, 'decoded')
  if (codecsOf(former.tracks) !== codecsOf(tracks.filter(canCarryInTs))) return undefined
  const sizeBytes = bytes.sizeBytes - (bytes.sizeBytes % TS_PACKET_SIZE_BYTES)
  const writer = createFormatWriter(TS_FORMAT, tracks)
  const head = Buffer.concat([serializeTsRestart(former.tracks.length), writer.head])
  return { writer: { ...writer, head }, sizeBytes, durationMs: former.durationMs }
}

function codecsOf(tracks: readonly Track[]): string {
  return tracks.map(({ codec }) => codec).join()
}

/** Records streams as fragmented MP4, by the record service of the plugin mp4. */
export function createFmp4Records(services: Pick<ServiceRegistry, 'get'>): RecordService {
  const records = () => {
    const service = services.get('record:mp4')
    if (service === undefined)
      throw new StreamUnavailable('recordings of type hlsv7 need the plugin mp4, which does not run')
    return service
  }
  return {
    extension: '.mp4',
    contentType: 'video/mp4',
    carries: (track) => records().carries(track),
    createWriter: (tracks) => records().createWriter(tracks),
    open: (bytes, signal) => records().open(bytes, signal),
    resume: async (bytes, tracks) => records().resume?.(bytes, tracks),
    wholeSizeBytes: async (bytes) => (await records().wholeSizeBytes?.(bytes)) ?? bytes.sizeBytes,
  }
}
