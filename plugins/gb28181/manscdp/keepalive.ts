import type { ManscdpMessage } from './message.ts'

/** A sign of life (A.2.5.2 of GB/T 28181-2022). */
export type Keepalive = {
  /** False when the device says that something is wrong. */
  readonly isOk: boolean
  /** The devices behind it that don't work. */
  readonly faultyDeviceIds: readonly string[]
}

/** Reads a sign of life. One that says nothing of itself is good. */
export function parseKeepalive({ root }: ManscdpMessage): Keepalive {
  const status = root.text('Status')
  const faulty = root.child('Info')?.all('DeviceID') ?? []
  return {
    isOk: status === undefined || /^(?:OK|ON|1)$/iu.test(status),
    faultyDeviceIds: faulty.map(({ value }) => value).filter((id) => id !== ''),
  }
}
