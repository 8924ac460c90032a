import { PeerProcess } from './process.ts'

/** What FFmpeg says of itself, where the media is as it should be. */
const REMARKS: readonly RegExp[] = [
  /^Guessed Channel Layout for Input Stream /u,
  / Estimating duration from bitrate, /u,
  // A body has no length, or the server has closed first.
  / Stream ends prematurely at \d+, should be 18446744073709551615$/u,
  /^\[tls @ \w+\] (?:Error in the push function\.|IO error: Broken pipe)$/u,
  // An idle connection was closed when it wanted to use it again.
  / keepalive request failed for .* retrying with new connection$/u,
  // It reads the init segment again with each playlist it loads.
  / Found duplicated MOOV Atom\. Skipped it$/u,
  // It tries one pair of ports after the other for RTP.
  /^\[udp @ \w+\] bind failed: Address already in use$/u,
  /^\s*(?:Last message repeated \d+ times)?$/u,
]

/**
 * Runs one of FFmpeg's programs as `runPeer` does, and takes its complaints for a failure: it succeeds with a
 * warning of each thing in the media that is not as it should be.
 */
export async function runQuietly(
  program: 'ffmpeg' | 'ffprobe',
  args: readonly string[],
  timeoutMs?: number,
): Promise<Buffer> {
  const peer = new PeerProcess(program, args)
  const output = await peer.succeed(timeoutMs)
  const complaints = peer.stderr.split('\n').filter((line) => !REMARKS.some((remark) => remark.test(line)))
  if (complaints.length > 0) throw peer.error('ended well, but complained')
  return output
}
