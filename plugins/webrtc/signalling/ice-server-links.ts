/** A STUN or TURN server for clients. */
type IceServer = { readonly urls: readonly string[]; readonly username: string; readonly credential: string }

/** The characters that a header can contain, which suffice for the passwords of TURN servers. */
const PRINTABLE = /^[ -~]*$/u

/**
 * The values of `Link` with the STUN and TURN servers for clients (RFC 9725 4.6).
 * @param isAdmitted true for clients that the gates have admitted; others get no servers with a password
 */
export function iceServerLinks(servers: readonly IceServer[], isAdmitted: boolean): string[] {
  return servers.flatMap(({ urls, username, credential }) => {
    if (credential !== '' && (!isAdmitted || !PRINTABLE.test(credential))) return []
    const login = `; username=${quoted(username)}; credential=${quoted(credential)}; credential-type="password"`
    return urls.map((url) => `<${url}>; rel="ice-server"${credential === '' ? '' : login}`)
  })
}

/** Writes a quoted-string (RFC 9110 5.6.4). */
function quoted(text: string): string {
  return `"${text.replace(/["\\]/gu, String.raw`\$&`)}"`
}
