import type { ModulePort } from 'sluice/sdk'
import Mpeg1Muxer from 'node-rtsp-stream/mpeg1muxer.js'

/** The task of an encoder's process. */
export type EncoderTask = {
  /** The URL at which it plays the stream. It contains a ticket, so it is a secret. */
  readonly url: string
  readonly ffmpegPath: string
  readonly ffmpegOptions: Readonly<Record<string, string>>
}

/**
 * Runs ffmpeg by the package `node-rtsp-stream`, in a process of its own: the package starts ffmpeg with the environment of its process,
 * writes to its stderr, and leaves ffmpeg running when that ends. The host keeps secrets out of the environment, reads the stderr, and ends
 * ffmpeg with the process, which ends when ffmpeg does.
 */
export default function encode({ data, send }: ModulePort): void {
  const muxer = new Mpeg1Muxer(data as EncoderTask)
  muxer.on('mpeg1data', send)
  muxer.on('ffmpegStderr', (text: Buffer) => void process.stderr.write(text))
  muxer.stream.once('error', ({ message }) => {
    process.stderr.write(`${message}\n`)
    process.exitCode = 1
  })
  muxer.stream.once('exit', (code) => {
    process.exitCode = code ?? 1
  })
}
