import type { ManscdpMessage } from './message.ts'

/** A memory card of a device (A.2.6.16 of GB/T 28181-2022). */
export type SdCard = {
  readonly id: number
  /** Empty without one. */
  readonly name: string
  /** `ok`, `formatting`, `unformatted`, `idle`, `error`, or a device's own word; in small letters. */
  readonly status: string
  /** Percent, while it is formatted. */
  readonly formatProgress: number | undefined
  readonly capacityMegabytes: number | undefined
  readonly freeMegabytes: number | undefined
}

/** Reads an answer to a query of memory cards. */
export function parseSdCards({ root }: ManscdpMessage): readonly SdCard[] {
  const items = root.child('SDCardStatusInfo')?.all('Item') ?? []
  return items.flatMap((item) => {
    const id = item.integer('ID')
    if (id === undefined) return []
    return [
      {
        id,
        name: item.text('HddName') ?? '',
        status: item.text('Status')?.toLowerCase() ?? '',
        formatProgress: item.number('FormatProgress'),
        capacityMegabytes: item.number('Capacity'),
        freeMegabytes: item.number('FreeSpace'),
      },
    ]
  })
}
