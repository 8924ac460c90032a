/** An address of SIP to listen on. */
export type SipListenAddress = { readonly isTcp: boolean; readonly address: string }

/** Reads `udp::5060`, `tcp:[::]:5060`, or an address without either, which is both. */
export function sipListenAddresses(texts: readonly string[]): SipListenAddress[] {
  return texts.flatMap((text) => {
    const [, transport, address = ''] = /^(?:(udp|tcp):)?(.*)$/u.exec(text) ?? []
    const kinds = transport === undefined ? [false, true] : [transport === 'tcp']
    return kinds.map((isTcp) => ({ isTcp, address }))
  })
}
