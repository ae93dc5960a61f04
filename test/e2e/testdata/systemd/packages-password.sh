# sudo needs a password and there is no terminal to type it into: it fails
# immediately, and the answer says so in the language of the question.
mkdir -p "$HOME/.config/blunux-ai"
chmod 700 "$HOME/.config/blunux-ai"
printf '[security]\nprivilege = "sudo"\n' >"$HOME/.config/blunux-ai/config.toml" # otherwise there is no question: rights.sh
hello="sudo -n pacman -S --noconfirm -- blunux-hello"
! sudo -n true 2>/dev/null || fail "sudo wants no password here"

peer "install blunux-hello"; says "$hello"
peer yes; says "Couldn't install blunux-hello (exit code 1)" "sudo: a password is required" "Couldn't get administrator rights" "terminal"
peer "blunux-hello 설치해줘"
peer 네; says "설치하지 못했어요(종료 코드 1)" "sudo: a password is required" "관리자 권한을 얻지 못했어요" "터미널"
peer "htop 삭제해줘"
peer 네; says "htop을 삭제하지 못했어요" "관리자 권한을 얻지 못했어요"
peer "update my system"; says "htop, linux"
peer yes; says "The update failed (exit code 1)" "Couldn't get administrator rights"
at_terminal y "install blunux-hello"; says "Couldn't install blunux-hello" "a password is required"; silent_on "password for"
ask "install blunux-hello"; exits 5
parked approve "$hello"; says "sudo: a password is required" "exit 1"; silent_on "Installed"

absent blunux-hello; installed htop 3.3.0-1; installed linux 6.9.1.arch1-1
logged_times 4 "CONFIRMED $hello"
echo "story complete"
