const { nonce } = document.querySelector('meta[property=csp-nonce]')
const style = Object.assign(document.createElement('style'), { nonce, textContent: 'body { color: rgb(1, 2, 3) }' })
document.head.append(style)

const here = location.href.slice(document.baseURI.length)
const streams = await (await fetch('./api/streams')).json()
document.body.textContent = `${here}: ${streams.length} streams`
document.body.dataset.ready = 'yes'
