import { createFormatWriter, type RecordService, type ServiceRegistry } from 'sluice/sdk'
import { canCarryInTs, TS_FORMAT, TS_PACKET_SIZE_BYTES } from 'sluice/sdk/media'
import { TsRecording } from '../file/ts-recording.ts'

/** Records streams as MPEG-TS. */
export const TS_RECORDS: RecordService = {
  extension: '.ts',
  contentType: 'video/mp2t',
  carries: canCarryInTs,
  createWriter: (tracks) => createFormatWriter(TS_FORMAT, tracks),
  open: (bytes) => TsRecording.open(bytes, 'decoded'),
  wholeSizeBytes: ({ sizeBytes }) => Promise.resolve(sizeBytes - (sizeBytes % TS_PACKET_SIZE_BYTES)),
}

/** Records streams as fragmented MP4, by what the plugin mp4 offers. */
export function createFmp4Records(services: Pick<ServiceRegistry, 'get'>): RecordService {
  const records = () => {
    const service = services.get('record:mp4')
    if (service === undefined) throw new Error('recordings of type hlsv7 need the plugin mp4, which does not run')
    return service
  }
  return {
    extension: '.mp4',
    contentType: 'video/mp4',
    carries: (track) => records().carries(track),
    createWriter: (tracks) => records().createWriter(tracks),
    open: (bytes, signal) => records().open(bytes, signal),
    wholeSizeBytes: async (bytes) => (await records().wholeSizeBytes?.(bytes)) ?? bytes.sizeBytes,
  }
}
