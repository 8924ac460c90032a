import type { PeerProcess } from '../../peers/process.ts'
import { waitFor } from '../../peers/wait-for.ts'

/** What ffmpeg says where nobody listens, or a proxy finds nobody. */
const NOBODY = /Connection refused|Connection reset|End of file|Broken pipe|Invalid data found/u

/** Publishes to an ffmpeg that is to listen soon: it takes one connection only, so nobody can ask before. */
export async function publishWhenListening(publish: () => PeerProcess): Promise<void> {
  const attempt = async () => {
    const peer = publish()
    const { code } = await peer.exit
    if (code !== 0 && !NOBODY.test(peer.stderr)) throw peer.error('failed')
    return code === 0
  }
  await waitFor(attempt, { what: 'ffmpeg to listen' })
}
