package report

import (
	"strings"

	"github.com/nidoit/blunux-ai/i18n"
	"github.com/nidoit/blunux-ai/providers/offline/intent"
)

var (
	sayLockHeld       = i18n.T("패키지 작업이 진행 중이라 데이터베이스가 잠겨 있어요: %[1]s(`pgrep`). 끝날 때까지 기다리세요.", "A package operation is running, so the database is locked: %[1]s (`pgrep`). Wait until it ends.", "有软件包操作正在进行，因此数据库被锁定：%[1]s（`pgrep`）。请等它结束。")
	sayLockLeft       = i18n.T("잠금 파일 `/var/lib/pacman/db.lck`가 남아 있는데, 돌고 있는 패키지 프로그램은 없어요(`pgrep`). 중단된 작업이 남긴 파일이에요.", "The lock file `/var/lib/pacman/db.lck` is there, but no package program runs (`pgrep`): an operation that was cut off left it behind.", "锁文件 `/var/lib/pacman/db.lck` 还在，但没有软件包程序在运行（`pgrep`）：这是中断的操作留下的。")
	sayLockRemove     = i18n.T("터미널에서 지우세요: `sudo rm /var/lib/pacman/db.lck`. 그다음 중단된 업데이트를 마치세요: `sudo pacman -Syu`", "Remove it in a terminal: `sudo rm /var/lib/pacman/db.lck`. Then finish the update that was cut off: `sudo pacman -Syu`", "请在终端中删除它：`sudo rm /var/lib/pacman/db.lck`，然后完成中断的更新：`sudo pacman -Syu`")
	sayLockNone       = i18n.T("지금은 잠금 파일(`/var/lib/pacman/db.lck`)이 없어요. 데이터베이스는 잠겨 있지 않아요.", "There is no lock file (`/var/lib/pacman/db.lck`) now: the database is not locked.", "现在没有锁文件（`/var/lib/pacman/db.lck`）：数据库没有被锁定。")
	sayLockUnseen     = i18n.T("잠금 파일(`/var/lib/pacman/db.lck`)이 있는지 확인하지 못했어요.", "Whether there is a lock file (`/var/lib/pacman/db.lck`) could not be seen.", "无法确认是否有锁文件（`/var/lib/pacman/db.lck`）。")
	saySignature      = i18n.T("패키지 서명을 확인하지 못할 때는 대개 키 묶음(archlinux-keyring)이 낡았거나 시계가 틀린 거예요.", "Signatures that cannot be verified mostly mean an old keyring (archlinux-keyring) or a wrong clock.", "无法验证软件包签名，多半是密钥环（archlinux-keyring）过旧或时钟不准。")
	sayKeyring        = i18n.T("설치된 키 묶음: %[1]s(`pacman -Q`)", "Keyring installed: %[1]s (`pacman -Q`)", "已安装的密钥环：%[1]s（`pacman -Q`）")
	sayKeyringSteps   = i18n.T("이 차례로 해 보세요: \"시계가 틀려요\"라고 물어 시계를 확인하고, 터미널에서 `sudo pacman-key --init`, `sudo pacman-key --populate`, `sudo pacman -Syu`를 실행하세요. 서명 확인을 끄지는 마세요.", "Try in this order: ask \"is my clock right?\"; then run in a terminal `sudo pacman-key --init`, `sudo pacman-key --populate`, `sudo pacman -Syu`. Do not switch the check of signatures off.", "请按顺序尝试：先问我“时钟不准吗”；然后在终端运行 `sudo pacman-key --init`、`sudo pacman-key --populate`、`sudo pacman -Syu`。不要关闭签名检查。")
	saySudoMember     = i18n.T("사용자 %[1]s{은/는} wheel 그룹에 있어요(`id`). sudo가 안 되면 `/etc/sudoers`에서 wheel이 허용되지 않았을 수 있어요.", "The user %[1]s is in the group wheel (`id`). If sudo still refuses, `/etc/sudoers` may not allow that group.", "用户 %[1]s 在 wheel 组中（`id`）。如果 sudo 仍然拒绝，可能是 `/etc/sudoers` 没有允许该组。")
	saySudoOutside    = i18n.T("사용자 %[1]s{은/는} wheel 그룹에 없어요(`id`). sudo는 보통 그 그룹의 사용자에게만 허용돼요.", "The user %[1]s is not in the group wheel (`id`), to which sudo is usually given.", "用户 %[1]s 不在 wheel 组中（`id`），sudo 通常只允许该组使用。")
	saySudoByRoot     = i18n.T("관리자가 할 일이에요. root로 로그인해서(`su -`): 그룹에 넣기 `usermod -aG wheel %[1]s`, 허용 `EDITOR=nano visudo`에서 `%%wheel ALL=(ALL:ALL) ALL`의 `#` 지우기, 비밀번호 바꾸기 `passwd %[1]s`. 그다음 다시 로그인하세요.", "That takes the administrator. As root (`su -`): add to the group `usermod -aG wheel %[1]s`; allow it with `EDITOR=nano visudo`, removing the `#` before `%%wheel ALL=(ALL:ALL) ALL`; a new password `passwd %[1]s`. Then log in again.", "这需要管理员来做。以 root 登录（`su -`）：加入组 `usermod -aG wheel %[1]s`；用 `EDITOR=nano visudo` 去掉 `%%wheel ALL=(ALL:ALL) ALL` 前的 `#`；重设密码 `passwd %[1]s`。然后重新登录。")
	saySudoRoot       = i18n.T("지금 root로 실행되고 있어서 sudo가 필요하지 않아요(`id`).", "This runs as root, which needs no sudo (`id`).", "当前以 root 运行，不需要 sudo（`id`）。")
	sayEjectFree      = i18n.T("USB 저장 장치(%[1]s)에서 열려 있는 것이 없어요(`lsblk`). 빼도 돼요.", "Nothing of the USB storage (%[1]s) is mounted (`lsblk`): you can take it out.", "USB 存储（%[1]s）没有挂载任何内容（`lsblk`）：可以拔出。")
	sayEjectUsed      = i18n.T("USB 저장 장치(%[1]s)가 %[2]s에 열려 있어요(`lsblk`). 지금 빼면 파일이 망가질 수 있어요.", "The USB storage (%[1]s) is mounted at %[2]s (`lsblk`). Taking it out now can damage files.", "USB 存储（%[1]s）挂载在 %[2]s（`lsblk`）。现在拔出可能损坏文件。")
	sayEjectNone      = i18n.T("꽂혀 있는 USB 저장 장치가 보이지 않아요(`lsblk`).", "No USB storage is plugged in (`lsblk`).", "没有看到插入的 USB 存储（`lsblk`）。")
	sayEjectUnseen    = i18n.T("USB 저장 장치가 쓰이고 있는지 확인하지 못했어요. 파일 관리자에서 꺼내기를 누른 뒤에 빼세요.", "Whether the USB storage is in use could not be seen. Eject it in the file manager before you take it out.", "无法确认 USB 存储是否正在使用。请先在文件管理器中弹出再拔。")
	askUnmount        = i18n.T("닫을까요(마운트 해제)? (`%[1]s`)", "Shall I unmount it? (`%[1]s`)", "要卸载它吗？（`%[1]s`）")
	sayNoSuchDrive    = i18n.T("이 컴퓨터에 %[1]s{이라는/라는} 디스크가 없어요.", "This computer has no disk %[1]s.", "这台电脑没有名为 %[1]s 的磁盘。")
	sayDriveIs        = i18n.T("%[1]s(`lsblk`)", "%[1]s (`lsblk`)", "%[1]s（`lsblk`）")
	pacmanLock        = command("ls -l /var/lib/pacman/db.lck")
	packagePrograms   = command(`pgrep -l -x "pacman|yay|paru|pamac|pamac-daemon|packagekitd|makepkg"`)
	keyringVersion    = command("pacman -Q archlinux-keyring")
	whoAmI            = command("id")
	removableUnmounts = "udisksctl unmount -b /dev/"
)

// hasTrouble reports whether the request describes a kind of problem.
func (q *inquiry) hasTrouble(kind string) bool {
	return q.Request != nil && q.Request.Trouble() == kind
}

// lock reports whether pacman's database is locked, and by which program.
func (q *inquiry) lock() Reply {
	if !q.collect(q.first, packagePrograms) {
		return Reply{}
	}
	if !q.hasTrouble(intent.TroubleLock) {
		return q.toolReply(q.first)
	}
	file, running := q.output(q.first, ""), q.output(packagePrograms, "")
	switch {
	case file == nil || file.TimedOut || file.Exit != 0 && !strings.Contains(file.Stderr, "No such file"):
		return Reply{Text: q.say(sayLockUnseen)}
	case file.Exit != 0:
		return Reply{Text: q.say(sayLockNone)}
	case running == nil || running.TimedOut || running.Exit > 1:
		return Reply{Text: joinBlocks(q.firstReply().Text, q.meaningOfLock())}
	case running.Exit == 0:
		return Reply{Text: q.say(sayLockHeld, strings.Join(outputLines(running.Stdout), ", "))}
	}
	return Reply{Text: joinBlocks(q.say(sayLockLeft), q.say(sayLockRemove))}
}

func (q *inquiry) meaningOfLock() string {
	return q.resultOf(q.first).meaningOf("unable to lock database")
}

// signature explains what to do about packages with a rejected signature.
func (q *inquiry) signature() Reply {
	if !q.collect(q.first) {
		return Reply{}
	}
	if !q.hasTrouble(intent.TroubleSignature) {
		return q.toolReply(q.first)
	}
	f := finding{verdict: q.say(saySignature), meaning: q.say(sayKeyringSteps)}
	if name, version, ok := strings.Cut(strings.TrimSpace(q.stdout(q.first)), " "); ok && name == "archlinux-keyring" && quoteWord(version) == version {
		f.note(q.say(sayKeyring, version))
	}
	return f.reply()
}

// database checks whether package lists can be fetched, and explains the quoted message.
func (q *inquiry) database() Reply {
	rep := q.updates()
	if len(q.needed) > 0 || !q.hasTrouble(intent.TroubleDatabase) || q.resultOf(q.first) == nil {
		return rep
	}
	rep.Text = joinBlocks(q.resultOf(q.first).meaningOf(q.Request.Raw()), rep.Text)
	return rep
}

// sudo reports whether the user belongs to the group that may use sudo.
func (q *inquiry) sudo() Reply {
	if !q.collect(q.first) {
		return Reply{}
	}
	out := q.stdout(q.first)
	user, rest, ok := strings.Cut(out, ")")
	_, name, named := strings.Cut(user, "(")
	if !q.hasTrouble(intent.TroubleSudo) || !ok || !named || !strings.HasPrefix(out, "uid=") || quoteWord(name) != name {
		return q.toolReply(q.first)
	}
	switch {
	case strings.HasPrefix(out, "uid=0("):
		return Reply{Text: q.say(saySudoRoot)}
	case strings.Contains(rest, "(wheel)"):
		return Reply{Text: joinBlocks(q.say(saySudoMember, name), q.say(saySudoByRoot, name))}
	}
	return Reply{Text: joinBlocks(q.say(saySudoOutside, name), q.say(saySudoByRoot, name))}
}

// eject reports whether a USB disk can be removed.
func (q *inquiry) eject() Reply {
	if !q.collect(q.first) {
		return Reply{}
	}
	if q.Request == nil || !q.Request.RequestsEject() {
		return q.toolReply(q.first)
	}
	out := q.stdout(q.first)
	if !strings.Contains(out, `NAME="`) {
		return Reply{Text: q.say(sayEjectUnseen)}
	}
	volumes := parseUSBDisks(out)
	for _, v := range volumes {
		if v.mount != "" {
			f := finding{verdict: q.say(sayEjectUsed, v.String(), v.mount)}
			f.propose(command(removableUnmounts+v.name), q.say(askUnmount, removableUnmounts+v.name))
			return f.reply()
		}
	}
	if len(volumes) == 0 {
		return Reply{Text: q.say(sayEjectNone)}
	}
	return Reply{Text: q.say(sayEjectFree, volumes[0].String())}
}

// namedSize reports the size of a named disk.
func (q *inquiry) namedSize() Reply {
	if !q.collect(q.first) {
		return Reply{}
	}
	drives := parseDrives(q.stdout(q.first))
	if q.Request == nil || q.Request.Device() == "" || len(drives) == 0 {
		return q.toolReply(q.first)
	}
	if rep, absent := q.noSuchDrive(drives); absent {
		return rep
	}
	return Reply{Text: q.say(sayDriveIs, q.askedDrives(drives)[0].String())}
}

// noSuchDrive answers a question about a disk that does not exist.
func (q *inquiry) noSuchDrive(drives []drive) (Reply, bool) {
	if len(drives) == 0 || len(q.askedDrives(drives)) > 0 {
		return Reply{}, false
	}
	return Reply{Text: joinBlocks(q.say(sayNoSuchDrive, "/dev/"+q.Request.Device()), bullets([]string{q.driveLine(drives)}))}, true
}

// askedDrives returns the disk that the question names, or all if it names none.
func (q *inquiry) askedDrives(drives []drive) []drive {
	if q.Request == nil || q.Request.Device() == "" {
		return drives
	}
	named := q.Request.Device()
	for _, d := range drives {
		if named == d.name || namedDisk(named) == d.name {
			return []drive{d}
		}
		if strings.HasPrefix(d.name, named+"n") && strings.HasPrefix(named, "nvme") {
			return []drive{d}
		}
	}
	return nil
}

// faultsOf removes the kernel's faults of disks other than the named one.
func (q *inquiry) faultsOf(drives []drive, faults []diskFault) []diskFault {
	if q.Request == nil || q.Request.Device() == "" || len(drives) != 1 {
		return faults
	}
	var out []diskFault
	for _, f := range faults {
		if f.disk == "" || strings.HasPrefix(f.disk, "ata") || strings.HasPrefix(f.disk, "dm-") || f.disk == drives[0].name || strings.HasPrefix(drives[0].name, f.disk+"n") {
			out = append(out, f)
		}
	}
	return out
}
