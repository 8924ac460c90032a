import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { TLSSocket } from 'node:tls'

/** Ends what carries a body at once. Where bytes of it are left behind, the client can tell that from its proper end. */
export function cut(carrier: Duplex): void {
  if (carrier.writableFinished) carrier.destroy()
  else if (!(carrier instanceof Socket)) carrier.destroy(new Error('ended before its time'))
  // TLS says by itself when the end is a proper one.
  else if (carrier instanceof TLSSocket) carrier.destroy()
  else carrier.resetAndDestroy()
}
