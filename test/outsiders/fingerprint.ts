import { X509Certificate } from 'node:crypto'
import { definePlugin, Type, type Certificate } from 'sluice/sdk'

/** Tells pages which certificate they may trust without an authority, as they need for WebTransport: 14 days at most. */
export default definePlugin({
  name: 'fingerprint',
  version: '1.0.0',
  config: Type.Object({
    quic: Type.Object({
      certfile: Type.String({ default: '', description: 'Certificate chain (PEM); one is made here when empty' }),
      keyfile: Type.String({ default: '', description: 'Private key (PEM) of certfile' }),
    }),
  }),
  async setup({ config, http, net }) {
    let certificate = await net.certificate(config.quic, { days: 14, onRenewed: use })
    http.get('/', () => new X509Certificate(certificate.cert).fingerprint256)

    function use(renewed: Certificate): void {
      certificate = renewed // and it is given to the server that listens, for the connections to come
    }
  },
})
