import { tryParse } from 'sluice/sdk/media'
import type { GbContext } from '../plugin-context.ts'
import type { Device } from '../registry/device.ts'
import type { Registry } from '../registry/registry.ts'
import { parseSipAddress } from '../sip/address.ts'
import type { SipFlow } from '../sip/flow.ts'
import type { SipRequest } from '../sip/message.ts'
import type { ResponseInit } from '../sip/requests.ts'
import { challenge, checkCredentials, type KeptCredentials } from './credentials.ts'

/** The result: the device that a request is of, or the answer to one that is refused. */
export type Sender = { readonly device: Device } | { readonly refusal: ResponseInit }

type SenderCheckInit = {
  readonly ctx: Pick<GbContext, 'config'>
  readonly registry: Registry
  readonly kept: KeptCredentials
}

/**
 * Checks that a request is of the device that it names: it comes from the address that the device has registered from, where a
 * NAT may have given it another port. From another address, it has to show that it knows the password.
 *
 * A device that is not registered is refused, by which it registers again (GB/T 28181-2022 9.6).
 */
export class SenderCheck {
  readonly #init: SenderCheckInit

  constructor(init: SenderCheckInit) {
    this.#init = init
  }

  senderOf(request: SipRequest, flow: SipFlow): Sender {
    const { ctx, registry, kept } = this.#init
    const id = tryParse(parseSipAddress, request.headers.get('From'))?.uri.user ?? ''
    const device = registry.device(id)
    if (device?.ends === undefined || Date.now() > device.expiresMs)
      return { refusal: { status: 403, reason: 'Not Registered' } }
    if (device.ends.remote.host === flow.remote.host) return { device }
    const password = device.password || ctx.config.password
    if (password === '') return { device }
    const result = checkCredentials(request, { realm: ctx.config.realm, password, version: device.version }, kept)
    if (result === 'granted') return { device }
    if (result === 'denied') return { refusal: { status: 403 } }
    return { refusal: challenge(ctx.config.realm, device.version, result === 'stale', kept) }
  }
}
