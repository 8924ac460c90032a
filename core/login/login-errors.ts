import { SluiceError } from 'sluice/sdk'

/** The request has no credential, or one that is not valid (`UNAUTHENTICATED`, 401). */
export class Unauthenticated extends SluiceError {
  constructor(message: string) {
    super('UNAUTHENTICATED', 401, message)
  }
}

/** The caller is known, but not allowed to do this (`PERMISSION_DENIED`, 403). */
export class PermissionDenied extends SluiceError {
  constructor(message: string) {
    super('PERMISSION_DENIED', 403, message)
  }
}

/** Too many logins failed or are under way (`LOGIN_LIMIT`, 429). */
export class TooManyLogins extends SluiceError {
  readonly headers: Readonly<Record<string, string>>

  /** @param waitMs the time after which the client may try again */
  constructor(waitMs: number) {
    const waitS = Math.max(1, Math.ceil(waitMs / 1000))
    super('LOGIN_LIMIT', 429, `too many logins; try again in ${waitS} s`)
    this.headers = { 'retry-after': String(waitS) }
  }
}

/** The change would leave no user that may administer (`LAST_ADMIN`, 409). */
export class LastAdmin extends SluiceError {
  constructor(name: string) {
    super('LAST_ADMIN', 409, `${name} is the last admin; add another one first`)
  }
}

/** The name is taken (`USER_EXISTS`, 409). */
export class UserExists extends SluiceError {
  constructor(name: string) {
    super('USER_EXISTS', 409, `there is a user ${name} already`)
  }
}
