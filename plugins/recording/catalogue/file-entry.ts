import type { RecordedFile, RecordingEvent } from 'sluice/sdk'
import type { RecordingRow } from './recording-tables.ts'

/** The place of a file: the folder of the storage, that of its backup, or a bucket. */
export type StoragePlace = 'local' | 'backup' | 's3'

/** A file as the catalogue knows it. Properties that change while the file is written are changed in place. */
export type FileEntry = Omit<
  RecordedFile,
  'id' | 'filePath' | 'endMs' | 'sizeBytes' | 'cutsMs' | 'isActive' | 'createdMs'
> & {
  id: number
  filePath: string
  endMs: number
  sizeBytes: number
  cutsMs: number[]
  isActive: boolean
  createdMs: number
  storage: StoragePlace
}

/** A row that was read from the database. */
export type StoredRecording = Omit<RecordingRow, 'id'> & { readonly id: number }

const NO_EVENT = { event_id: '', event_name: '', event_desc: '', event_level: '' }

export function rowOf(entry: FileEntry): Omit<RecordingRow, 'id'> {
  const { type, streamPath, filePath, storage, isActive, startMs, endMs, sizeBytes, event, mode, createdMs } = entry
  return {
    type,
    stream_path: streamPath,
    file_path: filePath,
    storage,
    is_active: isActive ? 1 : 0,
    start_ms: startMs,
    end_ms: endMs,
    size_bytes: sizeBytes,
    head_bytes: entry.headBytes,
    cuts: entry.cutsMs.join(),
    clock_ms: entry.clockMs,
    video_codec: entry.videoCodec,
    audio_codec: entry.audioCodec,
    mode,
    created_ms: createdMs,
    ...(event === undefined ? NO_EVENT : eventColumns(event)),
  }
}

export function entryOf(row: StoredRecording): FileEntry {
  const { id, type, mode } = row
  return {
    id,
    type,
    streamPath: row.stream_path,
    filePath: row.file_path,
    storage: placeOf(row.storage),
    isActive: row.is_active === 1,
    startMs: row.start_ms,
    endMs: row.end_ms,
    sizeBytes: row.size_bytes,
    headBytes: row.head_bytes,
    cutsMs: row.cuts === '' ? [] : row.cuts.split(',').map(Number),
    clockMs: row.clock_ms,
    videoCodec: row.video_codec,
    audioCodec: row.audio_codec,
    createdMs: row.created_ms,
    mode: mode === 'event' ? 'event' : 'auto',
    event: mode === 'event' ? eventOf(row) : undefined,
  }
}

export function eventColumns({ eventId, eventName, eventDesc, eventLevel }: RecordingEvent) {
  return { event_id: eventId, event_name: eventName, event_desc: eventDesc, event_level: eventLevel }
}

/** Returns the event in the columns of a row. */
export function eventOf(
  row: Pick<RecordingRow, 'event_id' | 'event_name' | 'event_desc' | 'event_level'>,
): RecordingEvent {
  return {
    eventId: row.event_id,
    eventName: row.event_name,
    eventDesc: row.event_desc,
    eventLevel: row.event_level === 'high' ? 'high' : 'low',
  }
}

function placeOf(text: string): StoragePlace {
  return text === 'backup' || text === 's3' ? text : 'local'
}
