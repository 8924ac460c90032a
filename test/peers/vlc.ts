import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keep } from './lifetime.ts'
import { PeerProcess } from './process.ts'

const NOBODY = '65534'

/**
 * Plays an address in VLC without a window, and writes the tracks that it plays to its standard output as MPEG-TS. It
 * refuses to run as root, so it runs as nobody then.
 */
export function playInVlc(url: string): PeerProcess {
  const home = mkdtempSync(join(tmpdir(), 'sluice-vlc-'))
  keep({ close: () => rmSync(home, { recursive: true, force: true }) })
  const output = '#std{access=file,mux=ts,dst=-}'
  const args = ['--intf', 'dummy', '--no-media-library', '--sout', output, '--sout-all', url, 'vlc://quit']
  const env = { ...process.env, HOME: home }
  if (process.getuid?.() !== 0) return new PeerProcess('cvlc', args, { env })
  const asNobody = ['--reuid', NOBODY, '--regid', NOBODY, '--clear-groups', 'cvlc']
  return new PeerProcess('setpriv', [...asNobody, ...args], { env, cwd: tmpdir() })
}
