/** Mail for the events of the management contract, section 21, and for invites. Other folders import only this file. */
export { inviteMail } from './invite.ts'
export { createMailListener } from './listener.ts'
export { createMailSender } from './sender.ts'
