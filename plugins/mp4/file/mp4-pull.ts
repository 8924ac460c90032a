import { FileBytes, playRecording, type PluginContext, type PullRequest, type RecordingBytes } from 'sluice/sdk'
import { HttpBytes, SourceRequests } from 'sluice/sdk/http'
import { Mp4Recording } from './mp4-recording.ts'

const ENDINGS = ['.mp4', '.m4v', '.m4a', '.mov']

/** Offers to play MP4 files, on disk and on servers; the definition names `pull:mp4` in its `provides`. */
export function registerPull({ services, streams, log }: PluginContext<unknown>): void {
  services.provide('pull:mp4', {
    endings: ENDINGS,
    files: ENDINGS,
    async pull(request) {
      if (request.recording !== undefined) return playRecording(streams, request, request.recording)
      const stop = new AbortController()
      const child = log.child({ stream: request.session.streamPath })
      let bytes: RecordingBytes | undefined
      try {
        const signal = AbortSignal.any([request.signal, stop.signal])
        bytes = await openBytes(request, signal)
        const recording = await Mp4Recording.open(bytes, signal)
        const { unsupported } = recording
        if (unsupported.length > 0) child.warn({ unsupported }, "the file has tracks that can't be carried")
        const end = await playRecording(streams, request, recording)
        if (recording.dropped > 0) child.warn({ dropped: recording.dropped }, 'samples of the file were left out')
        return end
      } finally {
        await bytes?.close()
        stop.abort()
      }
    },
  })
}

async function openBytes(request: PullRequest, signal: AbortSignal): Promise<RecordingBytes> {
  if (request.file !== undefined) return FileBytes.open(request.file, signal)
  const opened = await HttpBytes.open(new SourceRequests(request, signal))
  if (opened instanceof HttpBytes) return opened
  await opened.body?.cancel()
  throw new Error('the server gives no parts of files (Range requests), which MP4 needs')
}
