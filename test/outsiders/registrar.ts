import { randomBytes } from 'node:crypto'
import { definePlugin, Secret, Type, udpConfig } from 'sluice/sdk'
import {
  checkAuthorization,
  createDigestChallenge,
  createNonce,
  parseAuthorization,
  type AuthorizationResult,
} from 'sluice/sdk/http'
import { MalformedError } from 'sluice/sdk/media'

const REALM = 'registrar'

/** Lets devices register as SIP does (RFC 3261 22): by Digest with SHA-256 or MD5, and never by the password itself. */
export default definePlugin({
  name: 'registrar',
  version: '1.0.0',
  config: Type.Object({
    udp: udpConfig({ listenaddr: ':0' }),
    username: Type.String({ default: 'device', description: 'Name of the devices' }),
    password: Secret({ default: '', description: 'Password of the devices' }),
  }),
  async setup(ctx) {
    const { username, password } = ctx.config
    // A device that was challenged before a reload answers after it.
    const { nonceKey } = ctx.keep('nonces', () => ({ nonceKey: randomBytes(32) }))

    const listener = await ctx.net.udp(ctx.config.udp, (datagram, peer) => {
      const [start = '', ...headers] = datagram.toString().split('\r\n')
      const [method = '', uri = ''] = start.split(' ')
      const result = judge(method, uri, headers)
      const lines = result === 'granted' ? ['SIP/2.0 200 OK'] : ['SIP/2.0 401 Unauthorized', ...challenges(result)]
      listener?.send([Buffer.from([...lines, '', ''].join('\r\n'))], peer)
    })

    function judge(method: string, uri: string, headers: readonly string[]): AuthorizationResult {
      const header = headers.find((line) => /^authorization:/iu.test(line))
      if (header === undefined) return 'denied'
      try {
        const authorization = parseAuthorization(header.slice(header.indexOf(':') + 1).trim())
        if (authorization.scheme !== 'digest') return 'denied'
        const request = { method, isFor: (signedUri: string) => signedUri === uri }
        return checkAuthorization(authorization, request, { realm: REALM, username, password, nonceKey }, Date.now())
      } catch (error) {
        if (error instanceof MalformedError) return 'denied'
        throw error
      }
    }

    function challenges(result: AuthorizationResult): string[] {
      const nonce = createNonce(nonceKey, Date.now(), randomBytes(8))
      return (['SHA-256', 'MD5'] as const).map(
        (algorithm) => `WWW-Authenticate: ${createDigestChallenge(algorithm, REALM, nonce, result === 'stale')}`,
      )
    }
  },
})
